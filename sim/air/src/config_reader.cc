#include "config_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

namespace air {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using Word = std::string_view;

constexpr std::size_t kMostStations = 1000;
constexpr std::array<Word, 3> kStandards{"b", "g", "n"};
constexpr std::array<Word, 2> kQueues{"per_station", "shared"};
constexpr std::array<Word, 2> kFetches{"null_frame", "ps_poll"};
constexpr std::array<Word, 3> kDirections{"up", "down", "both"};
constexpr std::array<Word, 2> kCaptureFrames{"all", "outside"};
// In the order of enum Profile, without its first value.
constexpr std::array<Word, 7> kProfiles{"bulk",     "web",       "video",  "voice",
                                        "datagram", "saturated", "request"};

Time milliseconds(double value) {
    return des::from_seconds(value * 1e-3);
}

MacAddress read_mac(JsonReader &reader, const std::string &key) {
    const std::string text = reader.text(key, std::nullopt);
    std::array<unsigned, 6> octets{};
    char rest = 0;
    const int count = std::sscanf(text.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%c", &octets[0], &octets[1],
                                  &octets[2], &octets[3], &octets[4], &octets[5], &rest);
    if (count != 6 || (octets[0] & 1) != 0)
        reader.fail(key, "\"" + text + "\" is not a station's MAC address",
                    "write six octets such as 02:00:00:00:00:01, the first one even");
    MacAddress mac{};
    std::ranges::transform(octets, mac.begin(),
                           [](unsigned o) { return static_cast<std::uint8_t>(o); });
    return mac;
}

void read_port(JsonReader reader, PortSettings &port) {
    port.tap = reader.text("tap", "");
    if (port.tap.size() > 15)
        reader.fail("tap", "is longer than an interface name may be", "use at most 15 characters");
    if (reader.has("unix")) {
        JsonReader unix_reader = reader.object("unix");
        port.unix_bind = unix_reader.text("bind", std::nullopt);
        port.unix_peer = unix_reader.text("peer", std::nullopt);
        for (const auto &[key, path] :
             {std::pair{"bind", &port.unix_bind}, {"peer", &port.unix_peer}})
            if (path->empty() || path->size() > 107)
                unix_reader.fail(key, "is not a socket path", "give a path of 1 to 107 characters");
        unix_reader.finish();
    }
    if (port.tap.empty() == port.unix_bind.empty())
        reader.fail("tap", "a port is either a TAP or a unix socket",
                    "give one of \"tap\" and \"unix\"");
    reader.finish();
}

void read_sleep(JsonReader &reader, StationSettings &station, bool beacons) {
    ModemSleep::Parameters &sleep = station.sleep;
    JsonReader object = reader.object("modem_sleep");
    sleep.enabled = object.boolean("enabled", reader.has("modem_sleep"));
    sleep.idle = milliseconds(object.number("idle_ms", 100, 1, 1e6));
    sleep.listen_interval = static_cast<unsigned>(object.integer("listen_interval", 0, 0, 100));
    sleep.beacon_window = milliseconds(object.number("beacon_window_ms", 3, 0, 50));
    sleep.fetch = static_cast<ModemSleep::Fetch>(object.choice("fetch", "null_frame", kFetches));
    object.finish();
    if (sleep.enabled && !beacons)
        reader.fail("modem_sleep", "a station cannot sleep in a cell without beacons",
                    "set cell.beacons to true");
}

void read_absences(JsonReader &reader, StationSettings &station) {
    const json &list = reader.array("absences");
    for (std::size_t i = 0; i < list.size(); ++i) {
        JsonReader entry(list[i], reader.file(),
                         reader.path_of("absences") + "[" + std::to_string(i) + "]");
        StationSettings::Absence absence{};
        absence.from = milliseconds(entry.number("from_ms", std::nullopt, 0, 1e9));
        absence.to = milliseconds(entry.number("to_ms", std::nullopt, 0, 1e9));
        const Time earliest = station.absences.empty() ? Time(-1) : station.absences.back().to;
        if (absence.from <= earliest || absence.to <= absence.from)
            entry.fail("from_ms", "absences must follow each other and not be empty",
                       "let each one begin after the one before has ended, and end later");
        entry.finish();
        station.absences.push_back(absence);
    }
}

// Standard, rate, errors, sleep: what background stations have, too.
void read_radio(JsonReader &reader, StationSettings &station, const CellConfig &config) {
    const Standard cell = config.access_point.beacon.standard;
    station.standard =
        static_cast<Standard>(reader.choice("standard", std::string(name(cell)), kStandards));
    if (station.standard > cell)
        reader.fail("standard", "is newer than the cell's", "give the cell the newest standard");
    const double top = rate(data_rates(station.standard).back()).mbps();
    const double mbps = reader.number("rate_mbps", top, 1, 65);
    const auto index = find_rate(station.standard, mbps);
    if (!index) {
        std::string rates;
        for (const RateIndex r : data_rates(station.standard)) {
            char text[16];
            std::snprintf(text, sizeof text, " %g", rate(r).mbps());
            rates += text;
        }
        reader.fail("rate_mbps", "is no rate of this standard", "choose one of" + rates);
    }
    station.top_rate = *index;
    if (reader.has("snr_db") && reader.has("frame_error_rate"))
        reader.fail("snr_db", "excludes frame_error_rate", "give only one of the two");
    if (reader.has("snr_db"))
        station.error = ErrorModel::from_snr(reader.number("snr_db", std::nullopt, -20, 100));
    else
        station.error = ErrorModel::fixed(reader.number("frame_error_rate", 0, 0, 1));
    station.rate_fallback = reader.boolean("rate_fallback", station.error.uses_snr());
    station.queue_frames = reader.integer("queue_frames", 100, 1, 10000);
    read_sleep(reader, station, config.access_point.beacon.enabled);
    read_absences(reader, station);
}

void read_request(JsonReader object, RequestFlow::Shape &shape) {
    const auto bytes = [&](const char *key, std::uint32_t fallback) {
        return static_cast<std::uint32_t>(object.integer(key, fallback, 28, 1500));
    };
    const auto range = [&](const std::string &key, double low, double high, Time &min, Time &max) {
        min = milliseconds(object.number(key + "_min_ms", low, 0, 1e6));
        max = milliseconds(object.number(key + "_max_ms", high, 0, 1e6));
        if (max < min)
            object.fail(key + "_max_ms", "is less than the minimum", "give a larger value");
    };
    shape.request_bytes = bytes("request_bytes", shape.request_bytes);
    shape.acknowledgement_bytes = bytes("acknowledgement_bytes", shape.acknowledgement_bytes);
    shape.response_bytes = bytes("response_bytes", shape.response_bytes);
    range("processing", 0, 0, shape.processing_min, shape.processing_max);
    range("response", 0, 0, shape.response_min, shape.response_max);
    shape.pause = milliseconds(object.number("pause_ms", 1000, 0, 1e6));
    shape.timeout = milliseconds(object.number("timeout_ms", 2000, 1, 1e6));
    object.finish();
}

void read_station(const json &value, const std::string &file, std::size_t number,
                  CellConfig &config) {
    const std::string path = "stations[" + std::to_string(number) + "]";
    JsonReader reader(value, file, path);
    StationConfig station;
    station.settings.name = reader.text("name", "station" + std::to_string(number + 1));
    read_radio(reader, station.settings, config);
    if (reader.has("port"))
        read_port(reader.object("port"), station.port);
    if (reader.has("mac")) {
        station.settings.mac = read_mac(reader, "mac");
        station.mac_given = true;
    }
    if (reader.has("request")) {
        station.profile = Profile::request;
        read_request(reader.object("request"), station.request);
    }
    if (station.port.any() == (station.profile != Profile::none))
        reader.fail("port", "a station has either a port or a request object",
                    "give one of the two (in-process traffic is under \"background\")");
    reader.finish();
    config.stations.push_back(std::move(station));
}

void read_background(const json &value, const std::string &file, std::size_t number,
                     CellConfig &config) {
    JsonReader reader(value, file, "background[" + std::to_string(number) + "]");
    StationConfig pattern;
    const std::size_t profile = reader.choice("profile", std::nullopt, kProfiles);
    pattern.profile = static_cast<Profile>(profile + 1);
    if (pattern.profile == Profile::request)
        reader.fail("profile", "\"request\" is no background", "give the station a request object");
    const std::size_t count = reader.integer("stations", 1, 1, kMostStations);
    const std::size_t direction = reader.choice("direction", "down", kDirections);
    const bool greedy = pattern.profile == Profile::bulk || pattern.profile == Profile::saturated ||
                        pattern.profile == Profile::voice;
    const std::optional<double> fallback = greedy ? std::optional(0.0) : std::nullopt;
    const double load = reader.number("load_mbps", fallback, greedy ? 0 : 1e-3, 1000);
    pattern.load_bps = load * 1e6 / static_cast<double>(count);
    pattern.packet_bytes =
        static_cast<std::uint32_t>(reader.integer("packet_bytes", 1500, 28, 1500));
    pattern.wired_delay = milliseconds(reader.number("wired_delay_ms", 5, 0, 1e4));
    const std::string base = reader.text("name", "background" + std::to_string(number + 1));
    read_radio(reader, pattern.settings, config);
    if (pattern.profile == Profile::saturated && !pattern.settings.absences.empty())
        reader.fail("absences", "a saturated source cannot be absent", "choose another profile");
    reader.finish();
    for (std::size_t i = 0; i < count; ++i) {
        StationConfig station = pattern;
        station.settings.name = base + "-" + std::to_string(i + 1);
        const bool up = direction == 0 || (direction == 2 && i % 2 == 1);
        station.direction = up ? Direction::up : Direction::down;
        config.stations.push_back(std::move(station));
    }
}

void read_basic_rates(JsonReader &cell, Standard standard, CellParameters &parameters) {
    const Standard legacy = standard == Standard::n ? Standard::g : standard;
    if (!cell.has("basic_rates_mbps")) {
        // hostapd's defaults for 802.11b and for 802.11g with 802.11b stations admitted.
        parameters.basic_rates = legacy == Standard::b ? std::vector<RateIndex>{0, 1}
                                                       : std::vector<RateIndex>{0, 1, 2, 3};
        return;
    }
    for (const json &entry : cell.array("basic_rates_mbps")) {
        const auto index =
            entry.is_number() ? find_rate(legacy, entry.get<double>()) : std::nullopt;
        if (!index)
            cell.fail("basic_rates_mbps", "contains what is no rate of the cell",
                      "list rates such as [1, 2] or [6, 12, 24]");
        parameters.basic_rates.push_back(*index);
    }
    if (parameters.basic_rates.empty())
        cell.fail("basic_rates_mbps", "is empty", "list at least one rate");
    std::ranges::sort(parameters.basic_rates, {}, [](RateIndex r) { return rate(r).kbps_100; });
}

void read_cell(JsonReader cell, CellConfig &config) {
    CellParameters &parameters = config.parameters;
    BeaconSettings &beacon = config.access_point.beacon;
    beacon.standard = static_cast<Standard>(cell.choice("standard", "g", kStandards));
    beacon.channel = static_cast<unsigned>(cell.integer("channel", 1, 1, 13));
    beacon.enabled = cell.boolean("beacons", true);
    beacon.interval_tu =
        static_cast<std::uint16_t>(cell.integer("beacon_interval_tu", 100, 10, 65535));
    beacon.dtim_period = static_cast<unsigned>(cell.integer("dtim_period", 1, 1, 255));
    beacon.map_lead = milliseconds(cell.number("tim_lead_ms", 0, 0, 10));
    parameters.retry_limit = static_cast<unsigned>(cell.integer("retry_limit", 7, 0, 200));
    parameters.short_preamble = cell.boolean("short_preamble", false);
    parameters.eifs = cell.boolean("eifs", true);
    parameters.ampdu_frames = static_cast<unsigned>(cell.integer("ampdu_frames", 64, 1, 64));
    config.access_point.shared_queue = cell.choice("queue", "per_station", kQueues) == 1;
    config.access_point.queue_frames = cell.integer("queue_frames", 100, 1, 100000);
    read_basic_rates(cell, beacon.standard, parameters);
    cell.finish();
}

// 802.11b stations make everybody use long slots, and the others protect their OFDM frames.
void apply_coexistence(CellConfig &config) {
    const bool has_b = std::ranges::any_of(config.stations, [](const StationConfig &station) {
        return station.settings.standard == Standard::b;
    });
    const bool erp = config.access_point.beacon.standard != Standard::b;
    config.access_point.beacon.long_slot = has_b || !erp;
    config.parameters.protection = has_b && erp;
}

void check_unique(const CellConfig &config, const std::string &file) {
    std::set<std::string> names, ports, addresses;
    const auto add = [&](std::set<std::string> &set, const std::string &value, const char *what) {
        if (!value.empty() && !set.insert(value).second)
            throw ConfigError(file + ": stations: " + what + " \"" + value +
                              "\" is used twice; give each its own");
    };
    add(ports, config.wired.tap, "port");
    add(ports, config.wired.unix_bind, "port");
    for (const StationConfig &station : config.stations) {
        add(names, station.settings.name, "name");
        add(ports, station.port.tap, "port");
        add(ports, station.port.unix_bind, "port");
        if (station.mac_given)
            add(addresses, to_text(station.settings.mac), "address");
    }
}

} // namespace

CellConfig read_config(const std::string &text, const std::string &file) {
    json document;
    try {
        document = json::parse(text);
    } catch (const json::parse_error &error) {
        throw ConfigError(file + ": byte " + std::to_string(error.byte) +
                          ": is not JSON; correct the syntax there");
    } catch (const json::exception &) {
        throw ConfigError(file + ": (file): contains a number that no computer holds; correct it");
    }
    JsonReader reader(document, file, "");
    CellConfig config;
    config.seed = reader.integer("seed", 1, 0, UINT64_MAX);
    if (reader.has("duration_s"))
        config.duration = des::from_seconds(reader.number("duration_s", std::nullopt, 0, 1e6));
    read_cell(reader.object("cell"), config);
    if (reader.has("wired"))
        read_port(reader.object("wired"), config.wired);
    const json &stations = reader.array("stations");
    for (std::size_t i = 0; i < stations.size(); ++i)
        read_station(stations[i], file, i, config);
    const json &background = reader.array("background");
    for (std::size_t i = 0; i < background.size(); ++i)
        read_background(background[i], file, i, config);
    if (config.stations.size() > kMostStations)
        reader.fail("stations", "are more than a cell can hold",
                    "use at most " + std::to_string(kMostStations));
    if (reader.has("capture")) {
        JsonReader capture = reader.object("capture");
        config.capture.path = capture.text("path", std::nullopt);
        config.capture.outside_only = capture.choice("frames", "all", kCaptureFrames) == 1;
        config.capture.beacons = capture.boolean("beacons", true);
        capture.finish();
    }
    config.counters_path = reader.text("counters", "");
    JsonReader clock = reader.object("clock");
    config.spin = milliseconds(clock.number("spin_us", 0, 0, 1000) * 1e-3);
    config.longest_sleep = milliseconds(clock.number("longest_sleep_ms", 50, 1, 1000));
    config.realtime = clock.boolean("realtime", true);
    clock.finish();
    reader.finish();
    apply_coexistence(config);
    check_unique(config, file);
    return config;
}

CellConfig read_config_file(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf()))
        throw ConfigError(path + ": (file): cannot be read; check the path");
    return read_config(text.str(), path);
}

} // namespace air
