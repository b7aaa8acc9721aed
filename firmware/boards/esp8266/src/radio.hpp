// What a trial may set at the radio, and what of it the SDK reports.
#pragma once

#include <cstddef>
#include <cstdint>

namespace radio {

struct Settings {
    bool light_sleep;  // modem_sleep=1 means light sleep: the CPU stops, too
    uint8_t phy;       // the newest standard it speaks: phy_mode_t
    int8_t power_qdbm; // the most it sends with, in 0.25 dBm; negative: the SDK's own
    uint8_t rate_mbps; // of all its frames; 0: the SDK chooses
};

// Takes sleep_type=, phy_mode=, tx_power_qdbm= and tx_rate_mbps= from a configuration line and
// blanks them there. What has no such value stays, for the application to report.
Settings take(char *words);

// Call with the station's mode on, before it joins.
void set(const Settings &settings, bool sleeps);

// True while the CPU may stop as soon as the sketch waits.
bool sleeps_light();

// Members of a JSON object: what is in force. The SDK cannot report the power, so this is the value
// that was set. `size` of `out`; returns what snprintf does.
int describe(const Settings &settings, char *out, size_t size);

} // namespace radio
