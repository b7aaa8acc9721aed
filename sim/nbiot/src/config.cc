#include "config.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "stack.hpp"

namespace nbiot {

namespace {

using Json = nlohmann::json;

// Walks one JSON object; every key must be claimed by a field, and every value is checked.
class Section {
public:
    Section(const Json &json, std::string file, std::string path)
        : json_(json), file_(std::move(file)), path_(std::move(path)) {
        if (!json_.is_object())
            fail("", "is not an object", "write { ... }");
    }

    [[noreturn]] void fail(const std::string &key, const std::string &what,
                           const std::string &remedy) const {
        const std::string where = key.empty() ? path_ : path_.empty() ? key : path_ + "." + key;
        throw ConfigError(file_ + ": " + (where.empty() ? "(top level)" : where) + ": " + what +
                          "; " + remedy);
    }

    const Json *find(const std::string &key) {
        known_.insert(key);
        const auto it = json_.find(key);
        return it == json_.end() ? nullptr : &*it;
    }

    void number(const std::string &key, double &value, double low, double high) {
        if (const Json *json = find(key))
            value = checked(key, *json, low, high);
    }

    template <typename Integer>
    void integer(const std::string &key, Integer &value, double low, double high) {
        if (const Json *json = find(key)) {
            if (!json->is_number_integer())
                fail(key, "is not a whole number", "write one from " + range(low, high));
            value = static_cast<Integer>(checked(key, *json, low, high));
        }
    }

    void boolean(const std::string &key, bool &value) {
        if (const Json *json = find(key)) {
            if (!json->is_boolean())
                fail(key, "is not true or false", "write true or false");
            value = json->get<bool>();
        }
    }

    void choice(const std::string &key, std::string &value, const std::vector<std::string> &names) {
        if (const Json *json = find(key))
            value = named(key, *json, names);
    }

    std::string named(const std::string &key, const Json &json,
                      const std::vector<std::string> &names) const {
        if (json.is_string() &&
            std::find(names.begin(), names.end(), json.get<std::string>()) != names.end())
            return json.get<std::string>();
        std::string list;
        for (const std::string &name : names)
            list += (list.empty() ? "" : ", ") + name;
        fail(key, json.dump() + " is not known", "choose from " + list);
    }

    // A list of at least one element, each given to `each(element)`.
    void list(const std::string &key, bool required,
              const std::function<void(const Json &)> &each) {
        const Json *json = find(key);
        if (json == nullptr) {
            if (required)
                fail(key, "is missing", "give a list with at least one value");
            return;
        }
        if (!json->is_array() || json->empty())
            fail(key, "is not a list with at least one value", "write [ ... ]");
        for (auto element = json->begin(); element != json->end(); ++element) {
            if (!element->is_object() && std::find(json->begin(), element, *element) != element)
                fail(key, element->dump() + " is given twice", "name it once");
            each(*element);
        }
    }

    int whole(const std::string &key, const Json &json, double low, double high) const {
        if (!json.is_number_integer())
            fail(key, json.dump() + " is not a whole number", "write one from " + range(low, high));
        return static_cast<int>(checked(key, json, low, high));
    }

    double checked(const std::string &key, const Json &json, double low, double high) const {
        if (!json.is_number())
            fail(key, json.dump() + " is not a number", "write one from " + range(low, high));
        const double value = json.get<double>();
        if (!(value >= low && value <= high))
            fail(key, json.dump() + " is out of range", "write a value from " + range(low, high));
        return value;
    }

    void finish() const {
        for (const auto &item : json_.items())
            if (known_.count(item.key()) == 0)
                fail(item.key(), "is not a known key",
                     "remove it, or see config/nbiot.schema.json");
    }

    [[nodiscard]] std::string nested(const std::string &key) const {
        return path_.empty() ? key : path_ + "." + key;
    }
    [[nodiscard]] const std::string &file() const { return file_; }

private:
    static std::string range(double low, double high) {
        std::ostringstream text;
        text << low << " to " << high;
        return text.str();
    }

    const Json &json_;
    std::string file_, path_;
    std::set<std::string> known_;
};

void read_scenario(Section s, Scenario &c) {
    s.integer("sites", c.sites, 1, 7);
    if (c.sites != 1 && c.sites != 7)
        s.fail("sites", "is neither 1 nor 7", "only these layouts tile the plane");
    s.integer("sectors", c.sectors, 1, 3);
    if (c.sectors == 2)
        s.fail("sectors", "is 2", "write 3 (120 degree sectors) or 1 (no pattern)");
    s.boolean("wrap_around", c.wrap_around);
    s.number("inter_site_distance_m", c.inter_site_distance_m, 100, 35000);
    s.number("indoor_loss_db", c.indoor_loss_db, 0, 60);
    s.number("shadowing_sd_db", c.shadowing_sd_db, 0, 20);
    s.number("site_correlation", c.site_correlation, 0, 1);
    s.number("base_gain_dbi", c.base_gain_dbi, 0, 30);
    s.number("cable_loss_db", c.cable_loss_db, 0, 10);
    s.number("device_gain_dbi", c.device_gain_dbi, -20, 10);
    s.number("beam_width_deg", c.beam_width_deg, 10, 360);
    s.number("front_to_back_db", c.front_to_back_db, 0, 60);
    s.number("base_power_dbm", c.base_power_dbm, 0, 60);
    s.number("device_power_dbm", c.device_power_dbm, 0, 33);
    s.number("base_noise_figure_db", c.base_noise_figure_db, 0, 20);
    s.number("device_noise_figure_db", c.device_noise_figure_db, 0, 20);
    s.number("doppler_hz", c.doppler_hz, 0, 300);
    s.number("fixed_coupling_loss_db", c.fixed_coupling_loss_db, 0, 200);
    s.boolean("fading", c.fading);
    s.boolean("synchronised", c.synchronised);
    s.boolean("interference", c.interference);
    s.finish();
}

bool power_of_two(int value) {
    return (value & (value - 1)) == 0;
}

void read_level(Section s, Level &l) {
    s.integer("preamble_period_ms", l.preamble_period_ms, 40, 2560);
    if (2560 % l.preamble_period_ms != 0)
        s.fail("preamble_period_ms", "does not divide 2560",
               "choose 40, 80, 160, 320, 640, 1280 or 2560");
    s.integer("preamble_start_ms", l.preamble_start_ms, 0, 1024);
    s.integer("preambles", l.preambles, 12, 48);
    if (l.preambles % 12 != 0)
        s.fail("preambles", "is no multiple of 12", "choose 12, 24, 36 or 48");
    s.integer("preamble_repetitions", l.preamble_repetitions, 1, 128);
    s.integer("attempts", l.attempts, 1, 10);
    s.integer("control_repetitions", l.control_repetitions, 8, 512);
    if (!power_of_two(l.control_repetitions))
        s.fail("control_repetitions", "is no power of two", "choose 8, 16, 32 ... 512");
    s.number("control_period_factor", l.control_period_factor, 1.5, 64);
    s.number("control_offset", l.control_offset, 0, 0.375);
    s.integer("response_window", l.response_window, 2, 10);
    s.integer("contention_timer", l.contention_timer, 1, 64);
    s.integer("ack_repetitions", l.ack_repetitions, 1, 128);
    s.finish();
}

void read_cell(Section s, Cell &c) {
    if (s.find("levels") != nullptr) {
        std::size_t count = 0;
        s.list("levels", true, [&](const Json &json) {
            if (count == c.levels.size())
                s.fail("levels", "has more than three entries", "give one for each level");
            read_level(Section(json, s.file(), s.nested("levels")), c.levels[count++]);
        });
        if (count != c.levels.size())
            s.fail("levels", "has fewer than three entries", "give one for each level");
    }
    s.integer("preamble_tone", c.preamble_tone, 0, 11);
    for (const Level &level : c.levels)
        if (c.preamble_tone + level.preambles / 4 > 12)
            s.fail("preamble_tone", "leaves no room for the preambles",
                   "lower it: 12 preambles take 3 of the 12 tones");
    std::size_t thresholds = 0;
    s.list("rsrp_thresholds_dbm", false, [&](const Json &json) {
        if (thresholds == 2)
            s.fail("rsrp_thresholds_dbm", "has more than two values", "give two, falling");
        c.rsrp_thresholds_dbm[thresholds++] = s.checked("rsrp_thresholds_dbm", json, -156, -44);
    });
    if (thresholds == 1 || c.rsrp_thresholds_dbm[0] <= c.rsrp_thresholds_dbm[1])
        s.fail("rsrp_thresholds_dbm", "are not two falling values",
               "write for example [-107, -117]");
    s.integer("preamble_attempts", c.preamble_attempts, 1, 200);
    s.number("ramping_db", c.ramping_db, 0, 6);
    s.number("preamble_target_dbm", c.preamble_target_dbm, -130, -80);
    s.number("p0_dbm", c.p0_dbm, -126, 24);
    s.number("alpha", c.alpha, 0, 1);
    s.integer("t300_ms", c.t300_ms, 2500, 60000);
    s.integer("backoff_ms", c.backoff_ms, 0, 524288);
    s.integer("sr_prohibit_periods", c.sr_prohibit_periods, 0, 2048);
    s.integer("harq_transmissions", c.harq_transmissions, 1, 28);
    s.integer("poll_retransmit_ms", c.poll_retransmit_ms, 250, 120000);
    s.integer("processing_ms", c.processing_ms, 0, 100);
    if (s.find("uplink_tones") != nullptr) {
        c.uplink_tones.clear();
        s.list("uplink_tones", true, [&](const Json &json) {
            const int tones = s.whole("uplink_tones", json, 1, 12);
            if (tones != 1 && tones != 3 && tones != 6 && tones != 12)
                s.fail("uplink_tones", json.dump() + " is no allocation", "choose 1, 3, 6, 12");
            c.uplink_tones.push_back(tones);
        });
    }
    s.number("target_error", c.target_error, 0.001, 0.5);
    s.number("control_target_error", c.control_target_error, 0.0001, 0.5);
    s.boolean("status_grant", c.status_grant);
    s.integer("sib1_repetitions", c.sib1_repetitions, 4, 16);
    s.integer("si_period_ms", c.si_period_ms, 160, 2560);
    if (2560 % c.si_period_ms != 0)
        s.fail("si_period_ms", "does not divide 2560", "choose 640, 1280 or 2560");
    s.integer("si_window_ms", c.si_window_ms, 40, 1600);
    if (c.si_window_ms > c.si_period_ms)
        s.fail("si_window_ms", "is longer than si_period_ms", "shorten it");
    s.integer("si_subframes", c.si_subframes, 0, 160);
    if (2 * c.si_subframes > c.si_window_ms) // else little or nothing is left to schedule
        s.fail("si_subframes", "fill more than half of si_window_ms", "use fewer");
    s.finish();
}

void read_rrc(Section s, Rrc &r) {
    s.choice("procedure", r.procedure, {"resume", "setup"});
    for (const auto &[key, field] :
         {std::pair{"resume_bytes", &r.resume_bytes},
          {"resume_complete_bytes", &r.resume_complete_bytes},
          {"setup_bytes", &r.setup_bytes},
          {"setup_complete_bytes", &r.setup_complete_bytes},
          {"security_command_bytes", &r.security_command_bytes},
          {"security_complete_bytes", &r.security_complete_bytes},
          {"reconfiguration_bytes", &r.reconfiguration_bytes},
          {"reconfiguration_complete_bytes", &r.reconfiguration_complete_bytes},
          {"release_bytes", &r.release_bytes}})
        s.integer(key, *field, 1, 1500);
    s.integer("release_delay_ms", r.release_delay_ms, 0, 60000);
    s.finish();
}

void read_transport(Section s, Transport &t) {
    s.integer("ip_header_bytes", t.ip_header_bytes, 0, 60);
    s.number("internet_delay_s", t.internet_delay_s, 0, 10);
    s.integer("mss_bytes", t.mss_bytes, 64, 1460);
    s.integer("initial_window", t.initial_window, 1, 10);
    s.integer("window_cap", t.window_cap, 1, 1000);
    s.number("initial_rto_s", t.initial_rto_s, 0.1, 60);
    s.number("minimum_rto_s", t.minimum_rto_s, 0.1, 60);
    s.number("maximum_rto_s", t.maximum_rto_s, 1, 240);
    s.number("coap_ack_timeout_s", t.coap_ack_timeout_s, 0.1, 60);
    s.number("coap_random_factor", t.coap_random_factor, 1, 4);
    s.integer("coap_max_retransmit", t.coap_max_retransmit, 0, 20);
    s.number("dtls_timeout_s", t.dtls_timeout_s, 0.1, 60);
    s.number("mqttsn_retry_s", t.mqttsn_retry_s, 0.1, 600);
    s.integer("mqttsn_max_retries", t.mqttsn_max_retries, 0, 20);
    s.finish();
}

void read_experiment(Section s, Experiment &e) {
    s.list("stacks", true,
           [&](const Json &json) { e.stacks.push_back(s.named("stacks", json, stack_names())); });
    s.list("payload_bytes", true, [&](const Json &json) {
        e.payload_bytes.push_back(s.whole("payload_bytes", json, 1, 10000));
    });
    s.list("loads", true,
           [&](const Json &json) { e.loads.push_back(s.checked("loads", json, 1e-6, 1000)); });
    s.integer("seeds", e.seeds, 1, 10000);
    s.integer("first_seed", e.first_seed, 0, 4294967295.0);
    s.number("simulated_s", e.simulated_s, 1, 1e6);
    s.number("warmup_s", e.warmup_s, 0, 1e6);
    s.number("served_within_s", e.served_within_s, 0.1, 3600);
    s.number("give_up_s", e.give_up_s, 1, 3600);
    if (e.give_up_s < e.served_within_s)
        s.fail("give_up_s", "is less than served_within_s", "raise it: it cuts the measurement");
    if (e.warmup_s + e.give_up_s >= e.simulated_s)
        s.fail("simulated_s", "is not longer than warmup_s + give_up_s",
               "raise it: no report could be measured");
    s.finish();
}

void read_model(const Json &json, const std::string &file, Model &m) {
    Section top(json, file, "");
    if (const Json *part = top.find("scenario"))
        read_scenario(Section(*part, file, "scenario"), m.scenario);
    if (const Json *part = top.find("cell"))
        read_cell(Section(*part, file, "cell"), m.cell);
    if (const Json *part = top.find("rrc"))
        read_rrc(Section(*part, file, "rrc"), m.rrc);
    if (const Json *part = top.find("transport"))
        read_transport(Section(*part, file, "transport"), m.transport);
    top.finish();
}

// The parser alone would let the last of two equal keys win.
Json parse_json(const std::string &text, const std::string &name) {
    std::vector<std::set<std::string>> keys; // of the objects that are open
    const auto watch = [&](int, Json::parse_event_t event, const Json &parsed) {
        if (event == Json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == Json::parse_event_t::key &&
                 !keys.back().insert(parsed.get<std::string>()).second)
            throw ConfigError(name + ": " + parsed.get<std::string>() +
                              ": is given twice in one object; keep one");
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const Json::parse_error &error) {
        throw ConfigError(name + ": byte " + std::to_string(error.byte) +
                          ": is not JSON here; check commas, quotes and brackets");
    } catch (const Json::out_of_range &) {
        throw ConfigError(name + ": (number): one is too large to read; write less digits");
    }
}

} // namespace

Study parse_study(const std::string &text, const std::string &name) {
    const Json json = parse_json(text, name);
    Study study;
    Section top(json, name, "");
    int schema = 0;
    top.integer("schema", schema, 1, 1);
    if (schema != 1)
        top.fail("schema", "is missing", "write \"schema\": 1");
    const Json *experiment = top.find("experiment");
    if (experiment == nullptr)
        top.fail("experiment", "is missing", "give stacks, payload_bytes and loads");
    read_experiment(Section(*experiment, name, "experiment"), study.experiment);
    Json base = Json::object();
    for (const char *part : {"scenario", "cell", "rrc", "transport"})
        if (const Json *given = top.find(part))
            base[part] = *given;
    Model model;
    read_model(base, name, model);
    std::set<std::string> names;
    top.list("variants", false, [&](const Json &variant) {
        Section section(variant, name, "variants");
        const Json *label = section.find("name");
        if (label == nullptr || !label->is_string() || label->get<std::string>().empty() ||
            !names.insert(label->get<std::string>()).second)
            section.fail("name", "is missing or used twice", "give each variant its own name");
        Json changed = base;
        if (const Json *set = section.find("set"))
            changed.merge_patch(*set); // RFC 7396
        section.finish();
        Model m;
        read_model(changed, name + ": variants." + label->get<std::string>(), m);
        study.variants.push_back({label->get<std::string>(), m});
    });
    if (study.variants.empty())
        study.variants.push_back({"base", model});
    top.finish();
    return study;
}

Study read_study(const std::string &path) {
    if (std::filesystem::is_directory(path))
        throw ConfigError(path + ": (file): is a directory; name a file in it");
    std::ifstream file(path);
    if (!file)
        throw ConfigError(path + ": (file): cannot be read; check name and rights");
    std::ostringstream text;
    text << file.rdbuf();
    return parse_study(text.str(), path);
}

} // namespace nbiot
