// What every radio of a cell shares.
#pragma once

#include "burst.hpp"

namespace air {

struct Radio {
    Radio(des::EventQueue &event_queue, CellParameters cell_parameters, std::uint64_t seed)
        : queue(event_queue), medium(event_queue, seed), parameters(std::move(cell_parameters)),
          errors(seed, "frame-errors") {}

    [[nodiscard]] Time now() const { return queue.now(); }
    [[nodiscard]] Burst::Context context() { return {parameters, medium.timing(), errors, log}; }

    des::EventQueue &queue;
    Medium medium;
    CellParameters parameters;
    des::RandomStream errors;
    AirLog *log = nullptr;
};

} // namespace air
