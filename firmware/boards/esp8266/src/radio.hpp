// The radio settings that a trial may choose, and those that the SDK reports.
#pragma once

#include <cstddef>
#include <cstdint>

namespace radio {

struct Settings {
    bool light_sleep;  // modem_sleep=1 means light sleep, in which the CPU stops, too
    uint8_t phy;       // the newest standard it speaks: phy_mode_t
    int8_t power_qdbm; // the largest transmit power, in 0.25 dBm; negative: the SDK's default
    uint8_t rate_mbps; // of all its frames; 0: the SDK chooses
    bool join_cached;  // after deep sleep: it joins the access point that it knows, without a scan
};

// Reads sleep_type=, phy_mode=, tx_power_qdbm=, tx_rate_mbps= and join= from a configuration line
// and blanks them there. A word with an invalid value stays, so that the application reports it.
Settings take(char *words);

// Call in station mode, before the station joins.
void set(const Settings &settings, bool sleeps);

// True while the CPU may stop as soon as the sketch waits.
bool sleeps_light();

// Writes the settings in force as members of a JSON object. The SDK cannot report the power, so
// this is the value that was set. `size` of `out`; returns what snprintf does.
int describe(const Settings &settings, char *out, size_t size);

} // namespace radio
