#include "config.hpp"

#include <set>

#include "config/reader.hpp"
#include "nbiot_schema.hpp"

namespace nbiot {

namespace {

using config::Json;
using config::Reader;

void read_scenario(Reader s, Scenario &c) {
    s.read("sites", c.sites);
    s.read("sectors", c.sectors);
    s.read("wrap_around", c.wrap_around);
    s.read("inter_site_distance_m", c.inter_site_distance_m);
    s.read("indoor_loss_db", c.indoor_loss_db);
    s.read("shadowing_sd_db", c.shadowing_sd_db);
    s.read("site_correlation", c.site_correlation);
    s.read("base_gain_dbi", c.base_gain_dbi);
    s.read("cable_loss_db", c.cable_loss_db);
    s.read("device_gain_dbi", c.device_gain_dbi);
    s.read("beam_width_deg", c.beam_width_deg);
    s.read("front_to_back_db", c.front_to_back_db);
    s.read("base_power_dbm", c.base_power_dbm);
    s.read("device_power_dbm", c.device_power_dbm);
    s.read("base_noise_figure_db", c.base_noise_figure_db);
    s.read("device_noise_figure_db", c.device_noise_figure_db);
    s.read("doppler_hz", c.doppler_hz);
    s.read("fixed_coupling_loss_db", c.fixed_coupling_loss_db);
    s.read("fading", c.fading);
    s.read("synchronised", c.synchronised);
    s.read("interference", c.interference);
    s.finish();
}

void read_level(Reader &s, Level &l) {
    s.read("preamble_period_ms", l.preamble_period_ms);
    s.read("preamble_start_ms", l.preamble_start_ms);
    s.read("preambles", l.preambles);
    s.read("preamble_repetitions", l.preamble_repetitions);
    s.read("attempts", l.attempts);
    s.read("control_repetitions", l.control_repetitions);
    s.read("control_period_factor", l.control_period_factor);
    s.read("control_offset", l.control_offset);
    s.read("response_window", l.response_window);
    s.read("contention_timer", l.contention_timer);
    s.read("ack_repetitions", l.ack_repetitions);
    s.finish();
}

void read_cell(Reader s, Cell &c) {
    std::size_t level = 0;
    for (Reader &entry : s.objects("levels"))
        read_level(entry, c.levels[level++]);
    s.read("preamble_tone", c.preamble_tone);
    for (const Level &l : c.levels)
        if (c.preamble_tone + l.preambles / 4 > 12)
            s.fail("preamble_tone", "leaves no room for the preambles",
                   "lower it: 12 preambles take 3 of the 12 tones");
    s.read("rsrp_thresholds_dbm", c.rsrp_thresholds_dbm);
    if (c.rsrp_thresholds_dbm[0] <= c.rsrp_thresholds_dbm[1])
        s.fail("rsrp_thresholds_dbm", "are not two falling values",
               "write for example [-107, -117]");
    s.read("preamble_attempts", c.preamble_attempts);
    s.read("ramping_db", c.ramping_db);
    s.read("preamble_target_dbm", c.preamble_target_dbm);
    s.read("p0_dbm", c.p0_dbm);
    s.read("alpha", c.alpha);
    s.read("t300_ms", c.t300_ms);
    s.read("backoff_ms", c.backoff_ms);
    s.read("sr_prohibit_periods", c.sr_prohibit_periods);
    s.read("harq_transmissions", c.harq_transmissions);
    s.read("poll_retransmit_ms", c.poll_retransmit_ms);
    s.read("processing_ms", c.processing_ms);
    s.read("uplink_tones", c.uplink_tones);
    s.read("target_error", c.target_error);
    s.read("control_target_error", c.control_target_error);
    s.read("status_grant", c.status_grant);
    s.read("sib1_repetitions", c.sib1_repetitions);
    s.read("si_period_ms", c.si_period_ms);
    s.read("si_window_ms", c.si_window_ms);
    if (c.si_window_ms > c.si_period_ms)
        s.fail("si_window_ms", "is longer than si_period_ms", "shorten it");
    s.read("si_subframes", c.si_subframes);
    if (2 * c.si_subframes > c.si_window_ms) // otherwise too little is left to schedule
        s.fail("si_subframes", "fill more than half of si_window_ms", "use fewer");
    s.finish();
}

void read_rrc(Reader s, Rrc &r) {
    s.read("procedure", r.procedure);
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
        s.read(key, *field);
    s.read("release_delay_ms", r.release_delay_ms);
    s.finish();
}

void read_transport(Reader s, Transport &t) {
    s.read("ip_header_bytes", t.ip_header_bytes);
    s.read("internet_delay_s", t.internet_delay_s);
    s.read("mss_bytes", t.mss_bytes);
    s.read("initial_window", t.initial_window);
    s.read("window_cap", t.window_cap);
    s.read("initial_rto_s", t.initial_rto_s);
    s.read("minimum_rto_s", t.minimum_rto_s);
    s.read("maximum_rto_s", t.maximum_rto_s);
    s.read("coap_ack_timeout_s", t.coap_ack_timeout_s);
    s.read("coap_random_factor", t.coap_random_factor);
    s.read("coap_max_retransmit", t.coap_max_retransmit);
    s.read("dtls_timeout_s", t.dtls_timeout_s);
    s.read("mqttsn_retry_s", t.mqttsn_retry_s);
    s.read("mqttsn_max_retries", t.mqttsn_max_retries);
    s.finish();
}

void read_experiment(Reader s, Experiment &e) {
    s.read("stacks", e.stacks);
    s.read("payload_bytes", e.payload_bytes);
    s.read("loads", e.loads);
    s.read("seeds", e.seeds);
    s.read("first_seed", e.first_seed);
    s.read("simulated_s", e.simulated_s);
    s.read("warmup_s", e.warmup_s);
    s.read("served_within_s", e.served_within_s);
    s.read("give_up_s", e.give_up_s);
    if (e.give_up_s < e.served_within_s)
        s.fail("give_up_s", "is less than served_within_s", "raise it: it cuts the measurement");
    if (e.warmup_s + e.give_up_s >= e.simulated_s)
        s.fail("simulated_s", "is not longer than warmup_s + give_up_s",
               "raise it: no report could be measured");
    s.finish();
}

// Reads the parts of a model, from a study or from a variant's changes.
void read_model(Reader &parts, Model &m) {
    read_scenario(parts.object("scenario"), m.scenario);
    read_cell(parts.object("cell"), m.cell);
    read_rrc(parts.object("rrc"), m.rrc);
    read_transport(parts.object("transport"), m.transport);
}

} // namespace

const config::Schema &schema() {
    static const config::Schema schema(kSchemaText);
    return schema;
}

Study parse_study(const std::string &text, const std::string &name) {
    const Json json = config::parse(text, name);
    schema().check(json, name);
    Reader top(json, schema(), name);
    top.has("schema"); // its only value
    Study study;
    read_experiment(top.object("experiment"), study.experiment);
    Model model;
    read_model(top, model);
    std::set<std::string> names;
    for (Reader &variant : top.objects("variants")) {
        const auto label = variant.get<std::string>("name");
        if (!names.insert(label).second)
            variant.fail("name", "is used twice", "give each variant its own name");
        Json changed = Json::object();
        for (const char *part : {"scenario", "cell", "rrc", "transport"})
            if (json.contains(part))
                changed[part] = json.at(part);
        Reader set = variant.object("set");
        changed.merge_patch(set.value()); // RFC 7396
        Reader merged = set.over(changed);
        Model m;
        read_model(merged, m);
        merged.finish();
        variant.finish();
        study.variants.push_back({label, m});
    }
    if (study.variants.empty())
        study.variants.push_back({"base", model});
    top.finish();
    return study;
}

Study read_study(const std::string &path) {
    return parse_study(config::read_file(path), path);
}

} // namespace nbiot
