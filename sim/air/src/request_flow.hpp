// A wired client that sends requests to a device on a station, one at a time: the design of the
// recorded CoAP captures, and a ping.
#pragma once

#include <vector>

#include "datagram_flow.hpp"

namespace air {

// The device acknowledges a request after a processing time, and sends the response later. The
// client acknowledges the response and pauses before the next request.
class RequestFlow final : public Flow {
public:
    struct Shape {
        std::uint32_t request_bytes = 42;
        std::uint32_t acknowledgement_bytes = 32;
        std::uint32_t response_bytes = 60;
        Time processing_min{0}, processing_max{0}; // request to acknowledgement, uniform
        Time response_min{0}, response_max{0};     // acknowledgement to response, uniform
        Time pause = std::chrono::seconds(1);      // from the response to the next request
        Time timeout = std::chrono::seconds(2);    // then the request is repeated (RFC 7252, 4.2)
    };
    struct Sample {
        Time request;
        Time round_trip;
    };

    RequestFlow(FlowPlace place, const Shape &shape, des::RandomStream random)
        : place_(place), shape_(shape), random_(random) {}
    void start() override;
    void on_delivered(Direction direction, std::uint32_t bytes, std::uint32_t mark) override;
    [[nodiscard]] FlowCounters counters() const override { return counters_; }
    // Times from request to acknowledgement, as captured on the wired side.
    [[nodiscard]] const std::vector<Sample> &samples() const { return samples_; }

private:
    enum Kind : std::uint32_t { kRequest, kAcknowledgement, kResponse };
    void ask();
    void send(Direction direction, std::uint32_t bytes, Kind kind, std::uint32_t number);
    Time uniform(Time low, Time high);

    FlowPlace place_;
    Shape shape_;
    des::RandomStream random_;
    std::uint32_t number_ = 0;
    std::uint32_t served_ = 0;
    bool acknowledged_ = false;
    bool answered_ = false;
    Time asked_{0};
    des::EventHandle retry_;
    std::vector<Sample> samples_;
    FlowCounters counters_;
};

} // namespace air
