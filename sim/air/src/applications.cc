#include "applications.hpp"

#include <algorithm>

namespace air {

namespace {

using namespace std::chrono_literals;

constexpr double kPageBytes = 100e3;
constexpr double kVideoSegmentSeconds = 2;
constexpr std::uint64_t kEndless = std::uint64_t{1} << 31; // segments: 3 TB

std::uint64_t segments_of(double bytes) {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(bytes / TcpFlow::kSegmentBytes + 0.5));
}

class Greedy final : public Application {
public:
    void start(TcpFlow &flow) override { flow.write(kEndless); }
};

// Writes the same amount at even intervals, starting at a random phase.
class Periodic final : public Application {
public:
    Periodic(std::uint64_t segments, Time interval, des::RandomStream random)
        : segments_(segments), interval_(interval), random_(random) {}
    void start(TcpFlow &flow) override {
        schedule(flow, des::from_seconds(random_.uniform() * des::to_seconds(interval_)));
    }

private:
    void schedule(TcpFlow &flow, Time delay) {
        flow.place().queue.schedule_in(delay, [this, &flow] {
            flow.write(segments_);
            schedule(flow, interval_);
        });
    }
    std::uint64_t segments_;
    Time interval_;
    des::RandomStream random_;
};

class Web final : public Application {
public:
    Web(double load, des::RandomStream random)
        : mean_pause_(8 * kPageBytes / load), random_(random) {}
    void start(TcpFlow &flow) override { on_all_acknowledged(flow); }
    void on_all_acknowledged(TcpFlow &flow) override {
        const Time pause = des::from_seconds(random_.exponential(mean_pause_));
        flow.place().queue.schedule_in(
            pause, [this, &flow] { flow.write(segments_of(random_.exponential(kPageBytes))); });
    }

private:
    double mean_pause_;
    des::RandomStream random_;
};

} // namespace

std::unique_ptr<Application> make_bulk(double load, des::RandomStream random) {
    if (load <= 0)
        return std::make_unique<Greedy>();
    const Time interval = des::from_seconds(8.0 * TcpFlow::kSegmentBytes / load);
    return std::make_unique<Periodic>(1, interval, random);
}

std::unique_ptr<Application> make_web(double load, des::RandomStream random) {
    return std::make_unique<Web>(load, random);
}

std::unique_ptr<Application> make_video(double load, des::RandomStream random) {
    return std::make_unique<Periodic>(segments_of(load * kVideoSegmentSeconds / 8),
                                      des::from_seconds(kVideoSegmentSeconds), random);
}

} // namespace air
