// A cell in virtual time whose air and ports a test can inspect.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cell.hpp"
#include "config_reader.hpp"

namespace air_test {

using des::Time;

struct Heard {
    Time start;
    air::RateIndex rate;
    air::AirRecord::Control control;
    air::FrameKind kind;
    air::StationId transmitter, receiver;
    bool outside, damaged, retry, power_management, more_data;
    std::uint32_t ampdu;
    std::uint32_t payload_bytes;
};

struct Delivered {
    Time at;
    air::StationId to; // 0: the wired side
    std::vector<std::uint8_t> bytes;
};

class BenchCell : public air::AirLog {
public:
    explicit BenchCell(const std::string &json) : BenchCell(air::read_config(json, "test.json")) {}
    explicit BenchCell(const air::CellConfig &config)
        : cell(queue, config,
               {.to_wired =
                    [this](auto bytes) {
                        delivered.push_back({queue.now(), 0, {bytes.begin(), bytes.end()}});
                    },
                .to_station =
                    [this](air::StationId id, auto bytes) {
                        delivered.push_back({queue.now(), id, {bytes.begin(), bytes.end()}});
                    }}) {
        cell.set_log(this);
        cell.start();
    }
    void record(const air::AirRecord &r) override {
        heard.push_back({r.start, r.rate, r.control, r.frame->kind, r.frame->transmitter,
                         r.frame->receiver, r.frame->outside(), r.damaged, r.retry,
                         r.frame->power_management, r.frame->more_data, r.ampdu,
                         r.frame->payload_bytes});
    }
    void run_until(Time t) { queue.run_until(t); }
    // An Ethernet frame with `payload` bytes behind its header.
    static std::vector<std::uint8_t> ethernet(const air::MacAddress &to,
                                              const air::MacAddress &from, std::size_t payload,
                                              std::uint8_t fill = 0) {
        std::vector<std::uint8_t> frame(to.begin(), to.end());
        frame.insert(frame.end(), from.begin(), from.end());
        frame.push_back(0x88); // local experimental EtherType
        frame.push_back(0xb5);
        frame.resize(14 + payload, fill);
        return frame;
    }
    void from_station(air::StationId id, std::size_t payload, std::uint8_t fill = 0) {
        cell.from_station_port(id, ethernet(kServer, mac(id), payload, fill));
    }
    void from_wired(air::StationId to, std::size_t payload, std::uint8_t fill = 0) {
        cell.from_wired_port(ethernet(mac(to), kServer, payload, fill));
    }
    static air::MacAddress mac(air::StationId id) {
        return {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(id)};
    }
    [[nodiscard]] std::size_t count(const std::function<bool(const Heard &)> &wanted) const {
        std::size_t n = 0;
        for (const Heard &h : heard)
            n += wanted(h) ? 1 : 0;
        return n;
    }

    static constexpr air::MacAddress kServer{0x02, 0xee, 0, 0, 0, 1};
    des::EventQueue queue;
    std::vector<Heard> heard;
    std::vector<Delivered> delivered;
    air::Cell cell;
};

// A station with a port and BenchCell::mac(id); `more` are further keys, each with a comma in
// front.
inline std::string station(int id, const std::string &more = "") {
    const std::string n = std::to_string(id);
    return R"({"name":"s)" + n + R"(","mac":"02:00:00:00:00:0)" + n + R"(","port":{"tap":"t)" + n +
           "\"}" + more + "}";
}

} // namespace air_test
