#include "network.hpp"

#include "des/random.hpp"
#include "spec.hpp"

namespace nbiot {

LinkTables::LinkTables(const Cell &cell)
    : downlink(FormatTable::downlink(cell.target_error)), control_snr_db{} {
    for (const int tones : cell.uplink_tones)
        uplink.push_back(FormatTable::uplink(tones, cell.target_error));
    for (std::size_t level = 0; level < 3; ++level)
        for (std::size_t step = 0; step < 4; ++step)
            control_snr_db[level][step] = required_control_snr_db(
                cell.levels[level].control_repetitions >> (3 - step), cell.control_target_error);
}

Network::Network(const Model &the_model, const LinkTables &the_tables, std::size_t cells,
                 std::uint64_t seed)
    : model(the_model), tables(the_tables), valid(the_model.cell) {
    des::RandomStream phases(seed, "nbiot.phases");
    for (std::size_t i = 0; i < cells; ++i)
        carriers.emplace_back(
            model.cell, valid,
            model.scenario.synchronised ? 0 : phases.integer(0, spec::kBroadcastPeriodMs - 1),
            downlinks, i);
}

Device &Network::add_device() {
    if (free_devices_.empty()) {
        free_devices_.push_back(static_cast<std::uint32_t>(devices_.size()));
        devices_.emplace_back();
    }
    const std::uint32_t index = free_devices_.back();
    free_devices_.pop_back();
    Device &device = devices_[index];
    const std::uint32_t generation = device.generation + 1;
    Device fresh;
    fresh.gains.swap(device.gains);
    fresh.uplink.swap(device.uplink);
    fresh.downlink.swap(device.downlink);
    fresh.held.swap(device.held);
    fresh.uplink.clear();
    fresh.downlink.clear();
    fresh.held.clear();
    device = std::move(fresh);
    device.index = index;
    device.generation = generation;
    device.alive = true;
    tally.devices_peak = std::max(tally.devices_peak, ++alive_);
    return device;
}

void Network::remove_device(Device &device) {
    device.alive = false;
    --alive_;
    free_devices_.push_back(device.index);
}

} // namespace nbiot
