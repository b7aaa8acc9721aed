// What wire reads: its ports and the schedule of faults (wire.schema.json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "des/time.hpp"
#include "ports/port.hpp"

namespace wire {

using des::Time;

enum class Side : std::uint8_t { device, server };
constexpr Side other(Side side) {
    return side == Side::device ? Side::server : Side::device;
}

// In the order of the schema's words.
enum class Kind : std::uint8_t {
    loss,
    duplicate,
    delay,
    reorder,
    truncate,
    bit_flip,
    split,
    rate_limit,
    link_down,
    half_open,
    tcp_reset,
    nat_rebind,
    refuse,
    outside
};
enum class Application : std::uint8_t { mqtt, coap, other };

// A packet whose passing begins a fault.
struct Condition {
    std::string name;
    std::optional<unsigned> qos;
    unsigned number = 1;
    std::optional<Side> from;
    std::optional<Time> after; // nothing: with the packet's own frame
};

struct Fault {
    unsigned number = 0;
    Kind kind = Kind::loss;
    std::optional<Time> at; // one of `at` and `packet`
    std::optional<Condition> packet;
    std::optional<Time> length;
    std::uint64_t frames = 0; // 0: any number
    std::optional<Side> from, to;
    double share = 1;
    Time delay{0};
    std::size_t bytes = 1;
    std::optional<std::uint64_t> bit;
    bool valid_checksum = false;
    double rate_kbps = 10;
};

struct Config {
    std::uint64_t seed = 1;
    ports::Settings device, server, control;
    Application application = Application::other;
    std::uint16_t server_port = 1883;
    std::optional<Time> nat_idle; // nothing: mappings do not expire
    std::vector<Fault> faults;
};

// Reads a configuration. Throws config::Error when it is wrong; `file` names it.
Config read_config(const std::string &text, const std::string &file);
Config read_config_file(const std::string &path);

} // namespace wire
