// Traffic without feedback: saturation, Poisson datagrams, voice.
#pragma once

#include "des/random.hpp"
#include "flow.hpp"

namespace air {

// What every flow knows about its position in the cell.
struct FlowPlace {
    des::EventQueue &queue;
    FlowNetwork &network;
    std::uint16_t flow;
    StationId station;
};

// Always has a packet to send, as saturation models assume.
class SaturatedFlow final : public Flow {
public:
    SaturatedFlow(FlowPlace place, Direction direction, std::uint32_t packet_bytes)
        : place_(place), direction_(direction), packet_bytes_(packet_bytes) {}
    void start() override;
    void on_delivered(Direction direction, std::uint32_t bytes, std::uint32_t mark) override;
    void on_left(Direction direction) override;
    [[nodiscard]] FlowCounters counters() const override { return counters_; }

private:
    void refill();
    FlowPlace place_;
    Direction direction_;
    std::uint32_t packet_bytes_;
    unsigned queued_ = 0;
    FlowCounters counters_;
};

// Packets of one size, at even or exponential intervals, in one or in both directions.
class DatagramFlow final : public Flow {
public:
    struct Shape {
        bool up = false;
        bool down = false;
        std::uint32_t packet_bytes = 1500;
        Time mean_interval{0};
        bool poisson = false;
    };
    // G.711, 20 ms a packet: 160 bytes of sound under 40 of RTP, UDP and IP, both ways.
    static Shape voice();

    DatagramFlow(FlowPlace place, const Shape &shape, des::RandomStream random)
        : place_(place), shape_(shape), random_(random) {}
    void start() override;
    void on_delivered(Direction direction, std::uint32_t bytes, std::uint32_t mark) override;
    [[nodiscard]] FlowCounters counters() const override { return counters_; }

private:
    void schedule(Direction direction, Time delay);
    void send(Direction direction);
    FlowPlace place_;
    Shape shape_;
    des::RandomStream random_;
    FlowCounters counters_;
};

} // namespace air
