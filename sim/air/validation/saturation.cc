#include "saturation.hpp"

#include <nlohmann/json.hpp>

#include "bianchi.hpp"
#include "cell.hpp"
#include "config_reader.hpp"
#include "des/virtual_driver.hpp"

namespace air {

namespace {
constexpr unsigned kPacketBytes = 1500;

CellConfig saturated_cell(const SaturationCase &c, unsigned stations, std::uint64_t seed) {
    const nlohmann::json json{{"seed", seed},
                              {"cell", {{"standard", name(c.standard)}, {"beacons", false}}},
                              {"background",
                               {{{"profile", "saturated"},
                                 {"direction", "up"},
                                 {"stations", stations},
                                 {"packet_bytes", kPacketBytes},
                                 {"rate_mbps", c.mbps}}}}};
    return read_config(json.dump(), "(saturation)");
}

} // namespace

double simulated_saturation(const SaturationCase &c, unsigned stations, Time duration,
                            std::uint64_t seed) {
    des::EventQueue queue;
    Cell cell(queue, saturated_cell(c, stations, seed), {});
    cell.start();
    des::run_virtual(queue, duration);
    std::uint64_t bytes = 0;
    for (const auto &station : cell.stations())
        bytes += station->link().counters.bytes_received;
    return static_cast<double>(8 * bytes) / des::to_seconds(duration);
}

double theoretical_saturation(const SaturationCase &c, unsigned stations) {
    const CellConfig config = saturated_cell(c, stations, 0);
    const Timing timing = cell_timing(c.standard == Standard::b);
    const Access access = access_parameters(c.standard);
    const RateIndex index = *find_rate(c.standard, c.mbps);
    const RateIndex control = control_rate(index, config.parameters.basic_rates);
    const RateIndex slowest = c.standard == Standard::b ? kDsss1 : kOfdm6;
    const unsigned mpdu = kDataHeaderBytes + kSnapBytes + kPacketBytes + kFcsBytes;
    const Time data = ppdu_duration(index, mpdu, false);
    BianchiInput input{};
    input.stations = stations;
    input.cw_min = access.cw_min;
    input.cw_max = access.cw_max;
    input.retry_limit = config.parameters.retry_limit;
    input.slot = timing.slot;
    input.success = data + timing.sifs + ppdu_duration(control, kAckBytes, false) + timing.difs();
    // The others wait for EIFS: an ACK at the lowest mandatory rate.
    input.collision = data + timing.sifs + ppdu_duration(slowest, kAckBytes, false) + timing.difs();
    input.payload_bits = 8 * kPacketBytes;
    return bianchi_throughput(input);
}

} // namespace air
