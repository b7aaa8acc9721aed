#include <array>
#include <set>
#include <string_view>

#include "config.hpp"
#include "config/reader.hpp"
#include "ports/settings_reader.hpp"
#include "wire_schema.hpp"

namespace wire {

namespace {

using config::Reader;
using Word = std::string_view;

constexpr std::array<Word, 2> kSides{"device", "server"};
constexpr std::array<Word, 3> kApplications{"mqtt", "coap", "other"};
constexpr std::array<Word, 14> kKinds{
    "loss",       "duplicate", "delay",     "reorder",   "truncate",   "bit_flip", "split",
    "rate_limit", "link_down", "half_open", "tcp_reset", "nat_rebind", "refuse",   "outside"};

Time milliseconds(double value) {
    return des::from_seconds(value * 1e-3);
}

std::optional<Time> time_of(Reader &reader, const std::string &key) {
    if (!reader.has(key))
        return std::nullopt;
    return milliseconds(reader.get<double>(key));
}

std::optional<Side> side_of(Reader &reader, const std::string &key) {
    if (!reader.has(key))
        return std::nullopt;
    return static_cast<Side>(reader.choice(key, kSides));
}

Condition condition_of(Reader reader) {
    Condition condition;
    reader.read("name", condition.name);
    if (reader.has("qos"))
        condition.qos = reader.get<unsigned>("qos");
    condition.number = reader.get<unsigned>("number");
    condition.from = side_of(reader, "from");
    condition.after = time_of(reader, "after_ms");
    reader.finish();
    return condition;
}

// Kinds that change single frames, and so are over after one of them if nothing else is stated.
bool of_frames(Kind kind) {
    return kind <= Kind::split;
}

Fault fault_of(Reader &reader) {
    Fault fault;
    fault.number = reader.get<unsigned>("number");
    fault.kind = static_cast<Kind>(reader.choice("kind", kKinds));
    fault.at = time_of(reader, "at_ms");
    if (reader.has("packet"))
        fault.packet = condition_of(reader.object("packet"));
    if (fault.at.has_value() == fault.packet.has_value())
        reader.fail("at_ms", "is needed, or packet", "give one of the two");
    fault.length = time_of(reader, "for_ms");
    fault.frames = reader.get<std::uint64_t>("frames", 0);
    if (fault.frames == 0 && !fault.length && of_frames(fault.kind))
        fault.frames = 1;
    fault.from = side_of(reader, "from");
    fault.to = side_of(reader, "to");
    if (fault.kind == Kind::half_open && !fault.from)
        reader.fail("from", "is missing", "say whose frames vanish: device or server");
    fault.share = reader.get<double>("share");
    fault.delay = milliseconds(reader.get<double>("delay_ms"));
    fault.bytes = reader.get<std::size_t>("bytes");
    if (reader.has("bit"))
        fault.bit = reader.get<std::uint64_t>("bit");
    fault.valid_checksum = reader.get<bool>("valid_checksum");
    fault.rate_kbps = reader.get<double>("rate_kbps");
    reader.finish();
    return fault;
}

} // namespace

Config read_config(const std::string &text, const std::string &file) {
    static const config::Schema schema(kSchemaText);
    const config::Json document = config::parse(text, file);
    schema.check(document, file);
    Reader top(document, schema, file);
    Config config;
    config.seed = top.get<std::uint64_t>("seed");
    config.device = ports::read_settings(top.object("device"));
    config.server = ports::read_settings(top.object("server"));
    if (top.has("control"))
        config.control = ports::read_settings(top.object("control"));
    config.application = static_cast<Application>(top.choice("application", kApplications));
    config.server_port = top.get<std::uint16_t>("server_port");
    config.nat_idle = time_of(top, "nat_idle_ms");
    std::set<unsigned> numbers;
    for (Reader &entry : top.objects("faults")) {
        config.faults.push_back(fault_of(entry));
        if (!numbers.insert(config.faults.back().number).second)
            entry.fail("number", "is given twice", "number the faults from 1");
    }
    top.finish();
    return config;
}

Config read_config_file(const std::string &path) {
    return read_config(config::read_file(path), path);
}

} // namespace wire
