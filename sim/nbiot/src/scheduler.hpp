// The base station's scheduler: round robin over the devices that need a grant or an assignment, at
// every NPDCCH search space of a coverage level (TS 36.213 16.6).
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "channel.hpp"
#include "network.hpp"
#include "search_space.hpp"

namespace nbiot {

// The scheduler's interface to random access: responses have the highest priority.
class Responder {
public:
    virtual ~Responder() = default;
    // Sends one response in the search space; false when none fits, or none is due.
    virtual bool respond(int cell, int level, const SearchSpace &space) = 0;
    [[nodiscard]] virtual bool has_responses(int cell, int level) const = 0;
};

// The transport blocks as the scheduler sees them: device.down or device.up has its place now.
class Blocks {
public:
    virtual ~Blocks() = default;
    virtual void assigned(Device &device) = 0; // device.down
    virtual void granted(Device &device) = 0;  // device.up
};

struct Control { // a control message
    Span span;
    int subframes;
};

class Scheduler {
public:
    Scheduler(Network &network, Channel &channel);
    void serve(Responder &responder, Blocks &blocks) {
        responder_ = &responder;
        blocks_ = &blocks;
    }

    // Puts a device with something to send or to receive into the list of its level.
    void want_service(Device &device);
    // Wakes the scheduler at the level's next search space.
    void arm(int cell, int level);
    // The first free candidate of the search space with the least repetitions that `snr_db` asks
    // for.
    [[nodiscard]] Control find_control(const SearchSpace &space, Ms ready, int level,
                                       double snr_db) const;

private:
    struct CellState {
        std::array<std::deque<DeviceRef>, 3> waiting; // round robin, by level
        std::array<bool, 3> armed{};
    };
    [[nodiscard]] bool needs_downlink(const Device &device) const;
    [[nodiscard]] static bool needs_uplink(const Device &device);
    void occasion(int cell, int level);
    bool schedule(Device &device, const SearchSpace &space);
    bool schedule_downlink(Device &device, const Control &control);
    bool schedule_uplink(Device &device, const Control &control);

    Network &network_;
    Channel &channel_;
    Responder *responder_ = nullptr;
    Blocks *blocks_ = nullptr;
    std::vector<CellState> cells_;
};

} // namespace nbiot
