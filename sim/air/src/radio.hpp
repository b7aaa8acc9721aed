// What every radio of a cell shares.
#pragma once

#include "burst.hpp"

namespace air {

struct Radio {
    Radio(des::EventQueue &event_queue, CellParameters cell_parameters, std::uint64_t cell_seed)
        : seed(cell_seed), queue(event_queue), medium(event_queue, cell_seed),
          parameters(std::move(cell_parameters)), errors(cell_seed, "frame-errors") {}

    [[nodiscard]] Time now() const { return queue.now(); }
    [[nodiscard]] Burst::Context context() {
        return {parameters, medium.timing(), errors, log, group_packets};
    }

    std::uint64_t seed;
    des::EventQueue &queue;
    Medium medium;
    CellParameters parameters;
    des::RandomStream errors;
    AirLog *log = nullptr;
    std::uint64_t group_packets = 0; // frames encrypted with the group key so far
};

} // namespace air
