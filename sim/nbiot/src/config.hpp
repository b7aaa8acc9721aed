// Choices that no specification fixes: the scenario, the cell's configuration, the experiment. Each
// default has its source; `assumed` marks values that neither the study nor a specification gives.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/error.hpp"

namespace config {
class Schema;
}

namespace nbiot {

// Layout and radio. Values of TR 45.820 were not checked against its text (docs/nbiot.md). "Study"
// is Larmo, Ratilainen and Saarinen, Sensors 19(1), 7 (2018).
struct Scenario {
    int sites = 7;                       // study 2.4; 1 gives a single site
    int sectors = 3;                     // study 2.4
    bool wrap_around = true;             // the 7 sites repeat as on a torus; the study is silent
    double inter_site_distance_m = 1732; // TR 45.820 table D.1; the study is silent
    double indoor_loss_db = 20;          // study 2.1
    double shadowing_sd_db = 8;          // TR 45.820 table D.1
    double site_correlation = 0.5;       // TR 45.820 table D.1; sectors of a site: 1
    double base_gain_dbi = 18;           // TR 45.820 table D.1
    double cable_loss_db = 3;            // TR 45.820 table D.1
    double device_gain_dbi = -4;         // TR 45.820 table D.1
    double beam_width_deg = 70;          // TR 36.814 table A.2.1.1-2
    double front_to_back_db = 25;        // TR 36.814 table A.2.1.1-2
    double base_power_dbm = 46;          // study 2.1: 40 W
    double device_power_dbm = 23;        // study 2.1: 0.2 W
    double base_noise_figure_db = 3;     // TR 45.820 table D.1
    double device_noise_figure_db = 5;   // TR 45.820 table D.1
    double doppler_hz = 1;               // TS 36.104 8.5.1: propagation condition of NB-IoT tests
    double fixed_coupling_loss_db = 0;   // test: every device at this loss to its cell; 0 = off
    bool fading = true;
    bool synchronised = false; // frequency-division networks need not be; else all frames align
    bool interference = true;
};

// A coverage enhancement level. Defaults are those of a public SystemInformationBlockType2-NB, as
// broadcast by a commercial cell (L. Yang, 2019, see docs/nbiot.md).
struct Level {
    int preamble_period_ms;       // nprach-Periodicity
    int preamble_start_ms;        // nprach-StartTime
    int preambles;                // nprach-NumSubcarriers
    int preamble_repetitions;     // numRepetitionsPerPreambleAttempt
    int attempts;                 // maxNumPreambleAttemptCE
    int control_repetitions;      // npdcch-NumRepetitions-RA, R_max; also of the device's own space
    double control_period_factor; // npdcch-StartSF-CSS-RA, G
    double control_offset;        // npdcch-Offset-RA, as a fraction of the period
    int response_window;          // ra-ResponseWindowSize, in NPDCCH periods
    int contention_timer;         // mac-ContentionResolutionTimer, in NPDCCH periods
    int ack_repetitions;          // ack-NACK-NumRepetitions-Msg4
};

struct Cell {
    std::array<Level, 3> levels{{{640, 8, 12, 2, 4, 8, 2, 0.125, 10, 32, 2},
                                 {640, 64, 12, 8, 4, 16, 2, 0, 5, 32, 8},
                                 {640, 128, 12, 32, 4, 128, 2, 0, 5, 32, 64}}};
    int preamble_tone = 9; // nprach-SubcarrierOffset n36, in tones of 15 kHz
    std::array<double, 2> rsrp_thresholds_dbm{-107, -117}; // rsrp-ThresholdsPrachInfoList 33, 23
    int preamble_attempts = 6;                             // preambleTransMax-CE
    double ramping_db = 2;                                 // powerRampingStep
    double preamble_target_dbm = -112;                     // preambleInitialReceivedTargetPower
    double p0_dbm = -105;                                  // p0-NominalNPUSCH
    double alpha = 1;                                      // alpha
    int t300_ms = 10000;                                   // t300
    int backoff_ms = 1024;          // assumed: least of TS 36.321 table 7.2-2 above the period
    int sr_prohibit_periods = 32;   // assumed: a value of logicalChannelSR-ProhibitTimer
    int harq_transmissions = 4;     // TS 36.104 8.5.1, TS 36.101 8.12.1
    int poll_retransmit_ms = 25000; // TS 36.508 8.1.8.2.1.3: t-PollRetransmit
    int processing_ms = 4;          // assumed: as the device's (TS 36.213 16.4.1)
    std::vector<int> uplink_tones{1, 3, 6, 12}; // TS 36.211 table 10.1.2.3-1
    double target_error = 0.1;                  // assumed: usual target of link adaptation
    double control_target_error = 0.01;         // TS 36.101 8.12.2
    bool status_grant = true;                   // the base station grants for the status it polled
    int sib1_repetitions = 4;                   // assumed: the least of TS 36.213 table 16.4.1.3-3
    int si_period_ms = 640;                     // assumed: si-Periodicity rf64
    int si_window_ms = 160;                     // assumed: si-WindowLength ms160
    int si_subframes = 16;                      // two transmissions of 8 subframes in a window
};

// Signalling in bytes of the RRC message itself; headers are added from spec.hpp. Sizes of the
// unaligned packed encoding of TS 36.331 6.7.2 with the elements needed and no extension.
struct Rrc {
    std::string procedure = "resume"; // resume (TS 36.331 5.3.3.3a) or setup
    int resume_bytes = 8;             // RRCConnectionResume-NB with NPDCCH configuration
    int resume_complete_bytes = 2;    // RRCConnectionResumeComplete-NB
    int setup_bytes = 18;             // RRCConnectionSetup-NB
    int setup_complete_bytes = 36;    // RRCConnectionSetupComplete-NB with a service request
    int security_command_bytes = 3;   // SecurityModeCommand
    int security_complete_bytes = 2;  // SecurityModeComplete
    int reconfiguration_bytes = 18;   // RRCConnectionReconfiguration-NB, one data bearer
    int reconfiguration_complete_bytes = 2;
    int release_bytes = 6;       // RRCConnectionRelease-NB with a resume identity
    int release_delay_ms = 1000; // study 2.3: "a short, fixed delay"; assumed
};

struct Transport {
    int ip_header_bytes = 40;        // IPv6 (RFC 8200); study 1: "mainly IPv6"
    double internet_delay_s = 0.004; // study 2.2, each way
    int mss_bytes = 1220;            // IPv6's least MTU 1280 less headers
    int initial_window = 3;          // study 2.2, segments
    int window_cap = 10;             // study 2.2, segments
    double initial_rto_s = 1;        // study 2.2, RFC 6298 2.1
    double minimum_rto_s = 1;        // RFC 6298 2.4
    double maximum_rto_s = 60;       // RFC 6298 2.5
    double coap_ack_timeout_s = 2;   // RFC 7252 4.8
    double coap_random_factor = 1.5; // RFC 7252 4.8
    int coap_max_retransmit = 4;     // RFC 7252 4.8
    double dtls_timeout_s = 9;       // RFC 7925 11
    double mqttsn_retry_s = 10;      // MQTT-SN 1.2, 7.2
    int mqttsn_max_retries = 5;      // MQTT-SN 1.2, 7.2
};

struct Experiment {
    std::vector<std::string> stacks;
    std::vector<int> payload_bytes;
    std::vector<double> loads; // requests per second and cell
    int seeds = 1;
    std::uint64_t first_seed = 1;
    double simulated_s = 3600;
    double warmup_s = 60;
    double served_within_s = 20; // study 3.2
    double give_up_s = 30;       // assumed: the application drops a report after this
};

// One model: everything but the experiment's factors.
struct Model {
    Scenario scenario;
    Cell cell;
    Rrc rrc;
    Transport transport;
};

// A named change of the model, for sensitivity.
struct Variant {
    std::string name;
    Model model;
};

struct Study {
    std::vector<Variant> variants; // at least one
    Experiment experiment;
};

// ../config/nbiot.schema.json, to which every study conforms.
const config::Schema &schema();
// Reads and checks a study file; throws config::Error.
Study read_study(const std::string &path);
// The same from text; `name` replaces the file name in messages.
Study parse_study(const std::string &text, const std::string &name);

} // namespace nbiot
