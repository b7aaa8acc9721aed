// The state that all parts of the simulated network share: clock, devices, the cells' grids, the
// links' tables, counts.
//
// Times are milliseconds (one subframe) since the start; the event queue's clock is finer only for
// the transport's timers and the Internet's delay.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "config.hpp"
#include "des/event_queue.hpp"
#include "device.hpp"
#include "grid.hpp"
#include "link.hpp"
#include "tally.hpp"

namespace nbiot {

// Link tables: the same for every run of a process with the same targets.
struct LinkTables {
    explicit LinkTables(const Cell &cell);
    FormatTable downlink;
    std::vector<FormatTable> uplink; // one for each of Cell::uplink_tones
    // Mean ratio needed by R_max/8, R_max/4, R_max/2, R_max repetitions of NPDCCH, by level.
    std::array<std::array<double, 4>, 3> control_snr_db;
};

// A cell's anchor carrier, both directions.
struct Carrier {
    Carrier(const Cell &cell, const ValidSubframes &valid, Ms frame_phase, DownlinkActivity &all,
            std::size_t number)
        : phase(frame_phase), downlink(valid, frame_phase, all, number), uplink(cell, frame_phase) {
    }
    Ms phase; // of its frames
    DownlinkGrid downlink;
    UplinkGrid uplink;
    int next_tone = 0; // where the search for the next uplink allocation begins
};

// Identifies one use of a device's slot.
struct DeviceRef {
    std::uint32_t index, generation;
};

struct Network {
    Network(const Model &the_model, const LinkTables &the_tables, std::size_t cells,
            std::uint64_t seed);
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;

    const Model &model;
    const LinkTables &tables;
    des::EventQueue queue;
    ValidSubframes valid;
    DownlinkActivity downlinks;
    std::vector<Carrier> carriers; // by cell
    Tally tally;

    Carrier &carrier(int cell) { return carriers[static_cast<std::size_t>(cell)]; }
    [[nodiscard]] const Level &level(int number) const {
        return model.cell.levels[static_cast<std::size_t>(number)];
    }
    // From one NPDCCH search space of a level to the next.
    [[nodiscard]] Ms period_ms(int number) const {
        const Level &l = level(number);
        return static_cast<Ms>(l.control_repetitions * l.control_period_factor);
    }

    [[nodiscard]] Ms now_ms() const { return (queue.now().count() + 999999) / 1000000; }
    static des::Time at_ms(Ms at) { return des::Time(at * 1000000); }
    // Runs action(device) at `at`, unless the device has left.
    template <typename Action> des::EventHandle later(const Device &device, Ms at, Action action) {
        return queue.schedule(std::max(at_ms(at), queue.now()), [this, action, to = ref(device)] {
            if (Device *d = find(to))
                action(*d);
        });
    }

    // A new device; it reuses the memory of the last one in its slot.
    Device &add_device();
    void remove_device(Device &device);
    [[nodiscard]] Device &device(std::uint32_t index) { return devices_[index]; }
    static DeviceRef ref(const Device &device) { return {device.index, device.generation}; }
    // The device, or null when it has left.
    [[nodiscard]] Device *find(DeviceRef which) {
        Device &device = devices_[which.index];
        return device.alive && device.generation == which.generation ? &device : nullptr;
    }

private:
    std::deque<Device> devices_;
    std::vector<std::uint32_t> free_devices_;
    std::uint32_t alive_ = 0;
};

} // namespace nbiot
