#include "config_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "air_schema.hpp"
#include "config/reader.hpp"
#include "ports/settings_reader.hpp"

namespace air {

namespace {

using config::Reader;
using Word = std::string_view;

constexpr std::size_t kMostStations = 1000;
constexpr double kLeastLoadMbps = 1e-3; // for a profile without a rate of its own
constexpr std::array<Word, 3> kStandards{"b", "g", "n"};
constexpr std::array<Word, 2> kQueues{"per_station", "shared"};
constexpr std::array<Word, 2> kFetches{"null_frame", "ps_poll"};
constexpr std::array<Word, 3> kDirections{"up", "down", "both"};
constexpr std::array<Word, 2> kCaptureFrames{"all", "outside"};
constexpr std::array<Word, 2> kSecurities{"open", "wpa2-psk"};
// In the order of enum JoinSettings::Scan.
constexpr std::array<Word, 3> kScans{"active", "passive", "cached"};
constexpr std::array<Word, 2> kJoinBegins{"start", "port"};
// In the order of enum Profile, without its first value and the last.
constexpr std::array<Word, 6> kProfiles{"bulk", "web", "video", "voice", "datagram", "saturated"};

Time milliseconds(double value) {
    return des::from_seconds(value * 1e-3);
}

MacAddress to_mac(const std::string &text) {
    MacAddress mac{};
    for (std::size_t i = 0; i < mac.size(); ++i)
        mac[i] = static_cast<std::uint8_t>(std::stoul(text.substr(3 * i, 2), nullptr, 16));
    return mac;
}

void read_sleep(Reader &reader, StationSettings &station, bool beacons) {
    ModemSleep::Parameters &sleep = station.sleep;
    Reader object = reader.object("modem_sleep");
    sleep.enabled = object.get<bool>("enabled") && reader.has("modem_sleep");
    sleep.idle = milliseconds(object.get<double>("idle_ms"));
    sleep.listen_interval = object.get<unsigned>("listen_interval");
    sleep.beacon_window = milliseconds(object.get<double>("beacon_window_ms"));
    sleep.fetch = static_cast<ModemSleep::Fetch>(object.choice("fetch", kFetches));
    sleep.fetch_delay = milliseconds(object.get<double>("fetch_delay_ms"));
    sleep.idle_wake_share = object.get<double>("idle_wake_share");
    sleep.idle_wake = milliseconds(object.get<double>("idle_wake_ms"));
    object.finish();
    if (sleep.enabled && !beacons)
        reader.fail("modem_sleep", "a station cannot sleep in a cell without beacons",
                    "set cell.beacons to true");
    if (sleep.idle_wake_share > 0 && sleep.fetch != ModemSleep::Fetch::null_frame)
        reader.fail("modem_sleep", "who polls does not say that it is awake",
                    "set fetch to null_frame, or idle_wake_share to 0");
}

void read_absences(Reader &reader, StationSettings &station) {
    for (Reader &entry : reader.objects("absences")) {
        const StationSettings::Absence absence{milliseconds(entry.get<double>("from_ms")),
                                               milliseconds(entry.get<double>("to_ms"))};
        const Time earliest = station.absences.empty() ? Time(-1) : station.absences.back().to;
        if (absence.from <= earliest || absence.to <= absence.from)
            entry.fail("from_ms", "absences must follow each other and not be empty",
                       "let each one begin after the one before has ended, and end later");
        entry.finish();
        station.absences.push_back(absence);
    }
}

// Standard, rate, errors, sleep: keys that background stations also have.
void read_radio(Reader &reader, StationSettings &station, const CellConfig &config) {
    const Standard cell = config.access_point.beacon.standard;
    station.standard = static_cast<Standard>(
        reader.choice("standard", kStandards, static_cast<std::size_t>(cell)));
    if (station.standard > cell)
        reader.fail("standard", "is newer than the cell's", "give the cell the newest standard");
    const double top = rate(data_rates(station.standard).back()).mbps();
    const auto index = find_rate(station.standard, reader.get("rate_mbps", top));
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
        station.error = ErrorModel::from_snr(reader.get<double>("snr_db"));
    else
        station.error = ErrorModel::fixed(reader.get<double>("frame_error_rate"));
    station.rate_fallback = reader.get("rate_fallback", station.error.uses_snr());
    station.hidden_group = reader.get<Group>("hidden_group");
    station.queue_frames = reader.get<std::size_t>("queue_frames");
    read_sleep(reader, station, config.access_point.beacon.enabled);
    read_absences(reader, station);
}

void read_join(Reader &reader, StationConfig &station, unsigned channel) {
    JoinSettings &join = station.settings.join.emplace();
    Reader object = reader.object("join");
    join.scan = static_cast<JoinSettings::Scan>(object.choice("scan", kScans));
    join.channels = object.get<unsigned>("channels");
    join.active_dwell = milliseconds(object.get<double>("active_dwell_ms"));
    join.passive_dwell = milliseconds(object.get<double>("passive_dwell_ms"));
    join.passphrase = object.get("passphrase", std::string());
    join.by_port = object.choice("begins", kJoinBegins) == 1;
    object.finish();
    if (join.scan != JoinSettings::Scan::cached && join.channels < channel)
        reader.fail("join", "the scan ends before the cell's channel",
                    "set channels to " + std::to_string(channel) + " or more");
    if (!station.mac_given)
        reader.fail("mac", "is missing, but the keys of a station that joins depend on it",
                    "give the station its address");
    if (join.by_port && !station.port.any())
        reader.fail("join", "begins by a port that the station does not have",
                    "set begins to start");
}

void read_request(Reader object, RequestFlow::Shape &shape) {
    const auto range = [&](const std::string &key, Time &min, Time &max) {
        min = milliseconds(object.get<double>(key + "_min_ms"));
        max = milliseconds(object.get<double>(key + "_max_ms"));
        if (max < min)
            object.fail(key + "_max_ms", "is less than the minimum", "give a larger value");
    };
    object.read("request_bytes", shape.request_bytes);
    object.read("acknowledgement_bytes", shape.acknowledgement_bytes);
    object.read("response_bytes", shape.response_bytes);
    range("processing", shape.processing_min, shape.processing_max);
    range("response", shape.response_min, shape.response_max);
    shape.pause = milliseconds(object.get<double>("pause_ms"));
    shape.timeout = milliseconds(object.get<double>("timeout_ms"));
    object.finish();
}

void read_station(Reader &reader, std::size_t number, CellConfig &config) {
    StationConfig station;
    station.settings.name = reader.get("name", "station" + std::to_string(number + 1));
    read_radio(reader, station.settings, config);
    if (reader.has("port"))
        station.port = ports::read_settings(reader.object("port"));
    for (const double ms : reader.get("arrival_delay_ms", std::vector<double>{}))
        station.arrival_delay.push_back(milliseconds(ms));
    if (!std::ranges::is_sorted(station.arrival_delay))
        reader.fail("arrival_delay_ms", "is no distribution", "list its quantiles in order");
    if (reader.has("mac")) {
        station.settings.mac = to_mac(reader.get<std::string>("mac"));
        station.mac_given = true;
    }
    if (reader.has("join"))
        read_join(reader, station, config.access_point.beacon.channel);
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

void read_background(Reader &reader, std::size_t number, CellConfig &config) {
    StationConfig pattern;
    pattern.profile = static_cast<Profile>(reader.choice("profile", kProfiles) + 1);
    const auto count = reader.get<std::size_t>("stations");
    const std::size_t direction = reader.choice("direction", kDirections);
    const bool needs_load = pattern.profile == Profile::web || pattern.profile == Profile::video ||
                            pattern.profile == Profile::datagram;
    const double load = reader.get<double>("load_mbps");
    if (needs_load && load < kLeastLoadMbps)
        reader.fail("load_mbps", "is too little or missing: this profile needs it",
                    "give a number from 0.001 to 1000");
    pattern.load_bps = load * 1e6 / static_cast<double>(count);
    reader.read("packet_bytes", pattern.packet_bytes);
    pattern.wired_delay = milliseconds(reader.get<double>("wired_delay_ms"));
    const std::string base = reader.get("name", "background" + std::to_string(number + 1));
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

void read_basic_rates(Reader &cell, Standard standard, CellParameters &parameters) {
    const Standard legacy = standard == Standard::n ? Standard::g : standard;
    // hostapd's defaults for 802.11b and for 802.11g with 802.11b stations admitted.
    const std::vector<double> usual =
        legacy == Standard::b ? std::vector<double>{1, 2} : std::vector<double>{1, 2, 5.5, 11};
    for (const double mbps : cell.get("basic_rates_mbps", usual)) {
        const auto index = find_rate(legacy, mbps);
        if (!index)
            cell.fail("basic_rates_mbps", "contains what is no rate of the cell",
                      "list rates such as [1, 2] or [6, 12, 24]");
        parameters.basic_rates.push_back(*index);
    }
    std::ranges::sort(parameters.basic_rates, {}, [](RateIndex r) { return rate(r).kbps_100; });
}

void read_cell(Reader cell, CellConfig &config) {
    CellParameters &parameters = config.parameters;
    BeaconSettings &beacon = config.access_point.beacon;
    beacon.standard = static_cast<Standard>(cell.choice("standard", kStandards));
    beacon.channel = cell.get<unsigned>("channel");
    beacon.enabled = cell.get<bool>("beacons");
    beacon.interval_tu = cell.get<std::uint16_t>("beacon_interval_tu");
    beacon.dtim_period = cell.get<unsigned>("dtim_period");
    beacon.map_lead = milliseconds(cell.get<double>("tim_lead_ms"));
    parameters.retry_limit = cell.get<unsigned>("retry_limit");
    parameters.short_preamble = cell.get<bool>("short_preamble");
    parameters.eifs = cell.get<bool>("eifs");
    parameters.ampdu_frames = cell.get<unsigned>("ampdu_frames");
    config.access_point.shared_queue = cell.choice("queue", kQueues) == 1;
    config.access_point.queue_frames = cell.get<std::size_t>("queue_frames");
    parameters.wpa2 = cell.choice("security", kSecurities) == 1;
    const auto passphrase = cell.get<std::string>("passphrase");
    if (parameters.wpa2)
        config.access_point.passphrase = passphrase;
    read_basic_rates(cell, beacon.standard, parameters);
    cell.finish();
}

// With 802.11b stations all use long slots, and the others protect their OFDM frames.
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
            throw config::Error(file, "stations",
                                std::string(what) + " \"" + value + "\" is used twice",
                                "give each its own");
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

const config::Schema &schema() {
    static const config::Schema schema(kSchemaText);
    return schema;
}

CellConfig read_config(const std::string &text, const std::string &file) {
    const config::Json document = config::parse(text, file);
    schema().check(document, file);
    Reader reader(document, schema(), file);
    CellConfig config;
    config.seed = reader.get<std::uint64_t>("seed");
    if (reader.has("duration_s"))
        config.duration = des::from_seconds(reader.get<double>("duration_s"));
    read_cell(reader.object("cell"), config);
    if (reader.has("wired"))
        config.wired = ports::read_settings(reader.object("wired"));
    std::size_t number = 0;
    for (Reader &station : reader.objects("stations"))
        read_station(station, number++, config);
    number = 0;
    for (Reader &group : reader.objects("background"))
        read_background(group, number++, config);
    if (config.stations.size() > kMostStations)
        reader.fail("stations", "are more than a cell can hold",
                    "use at most " + std::to_string(kMostStations));
    if (reader.has("capture")) {
        Reader capture = reader.object("capture");
        capture.read("path", config.capture.path);
        config.capture.outside_only = capture.choice("frames", kCaptureFrames) == 1;
        config.capture.beacons = capture.get<bool>("beacons");
        capture.finish();
    }
    reader.read("counters", config.counters_path);
    Reader clock = reader.object("clock");
    config.spin = milliseconds(clock.get<double>("spin_us") * 1e-3);
    config.longest_sleep = milliseconds(clock.get<double>("longest_sleep_ms"));
    config.realtime = clock.get<bool>("realtime");
    clock.finish();
    reader.finish();
    apply_coexistence(config);
    check_unique(config, file);
    return config;
}

CellConfig read_config_file(const std::string &path) {
    return read_config(config::read_file(path), path);
}

} // namespace air
