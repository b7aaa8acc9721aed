// Traffic with TCP's feedback: slow start, congestion avoidance, fast retransmit and recovery (RFC
// 5681 and 6582), retransmission timer (RFC 6298), delayed acknowledgements (RFC 1122, 4.2.3.2).
#pragma once

#include <bitset>
#include <memory>

#include "datagram_flow.hpp"

namespace air {

class TcpFlow;

// What writes into a connection.
class Application {
public:
    virtual ~Application() = default;
    virtual void start(TcpFlow &flow) = 0;
    virtual void on_all_acknowledged(TcpFlow &) {}
};

// One long-lived connection between a station and a server on the wired side. Whole segments only,
// without handshake; numbers count segments.
class TcpFlow final : public Flow {
public:
    TcpFlow(FlowPlace place, Direction data, Time wired_delay,
            std::unique_ptr<Application> application);

    void start() override { application_->start(*this); }
    void on_delivered(Direction direction, std::uint32_t bytes, std::uint32_t mark) override;
    [[nodiscard]] FlowCounters counters() const override { return counters_; }
    // The application writes; segments go out as the window allows.
    void write(std::uint64_t segments);
    [[nodiscard]] bool all_acknowledged() const { return acknowledged_ == written_; }
    [[nodiscard]] const FlowPlace &place() const { return place_; }
    [[nodiscard]] std::uint64_t retransmissions() const { return retransmissions_; }

    static constexpr std::uint32_t kSegmentBytes = 1460;
    static constexpr std::uint32_t kHeaderBytes = 40; // IP and TCP

private:
    static constexpr std::uint32_t kWindow = 44; // 64 KiB of 1460 bytes

    void send_allowed();
    void transmit(std::uint32_t segment);
    void send_packet(Direction direction, std::uint32_t bytes, std::uint32_t mark);
    void on_data(std::uint32_t segment);
    void on_acknowledgement(std::uint32_t next);
    void on_duplicate();
    void measure(Time round_trip);
    void acknowledge();
    void arm_timer();
    void on_timer();

    FlowPlace place_;
    Direction data_;
    Time wired_delay_;
    std::unique_ptr<Application> application_;
    FlowCounters counters_;
    std::uint64_t retransmissions_ = 0;
    // Sender
    std::uint64_t written_ = 0;
    std::uint32_t acknowledged_ = 0; // all below have arrived
    std::uint32_t next_ = 0;
    std::uint32_t highest_ = 0; // one beyond the last segment ever sent
    double window_ = 10;        // congestion window (RFC 6928)
    double threshold_ = kWindow;
    unsigned duplicates_ = 0;
    bool recovering_ = false;
    std::uint32_t recover_ = 0;
    std::uint32_t timed_segment_ = 0;
    Time timed_at_{-1};
    Time smoothed_{0};
    Time variation_{0};
    Time timeout_ = std::chrono::seconds(1);
    Time deadline_{0};
    bool timer_armed_ = false;
    // Receiver
    std::uint32_t expected_ = 0;
    std::bitset<64> ahead_; // bit i: segment expected_ + 1 + i has arrived
    bool ack_owed_ = false;
    des::EventHandle ack_timer_;
};

} // namespace air
