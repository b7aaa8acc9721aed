#include "radio.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "user_interface.h"
}

namespace {

constexpr char kPhys[] = "bgn"; // phy_mode_t counts from 1
constexpr long kMostQdbm = 82;  // 20.5 dBm, the SDK's limit
struct Rate {
    uint8_t mbps, code;
};
constexpr Rate kRates[] = {{6, PHY_RATE_6},   {9, PHY_RATE_9},   {12, PHY_RATE_12},
                           {18, PHY_RATE_18}, {24, PHY_RATE_24}, {36, PHY_RATE_36},
                           {48, PHY_RATE_48}, {54, PHY_RATE_54}};

// The word `key` (with its '='), or nullptr.
char *find(char *words, const char *key) {
    char *word = strstr(words, key);
    return word && (word == words || word[-1] == ' ') ? word : nullptr;
}

bool is(const char *value, size_t size, const char *text) {
    return size == strlen(text) && !memcmp(value, text, size);
}

// A number from 0 to `most`, or -1.
long number(const char *value, size_t size, long most) {
    char *end;
    long found = strtol(value, &end, 10);
    return size && end == value + size && found >= 0 && found <= most ? found : -1;
}

bool read_sleep(const char *value, size_t size, radio::Settings &out) {
    out.light_sleep = is(value, size, "light");
    return out.light_sleep || is(value, size, "modem");
}

bool read_phy(const char *value, size_t size, radio::Settings &out) {
    const char *found = size == 1 ? strchr(kPhys, *value) : nullptr;
    if (found)
        out.phy = static_cast<uint8_t>(found - kPhys + 1);
    return found;
}

bool read_power(const char *value, size_t size, radio::Settings &out) {
    long found = number(value, size, kMostQdbm);
    if (found >= 0)
        out.power_qdbm = static_cast<int8_t>(found);
    return found >= 0;
}

bool read_rate(const char *value, size_t size, radio::Settings &out) {
    long found = number(value, size, 54);
    for (const Rate &rate : kRates)
        if (rate.mbps == found) {
            out.rate_mbps = rate.mbps;
            return true;
        }
    return false;
}

bool read_join(const char *value, size_t size, radio::Settings &out) {
    out.join_cached = is(value, size, "cached");
    return out.join_cached || is(value, size, "scan");
}

struct Word {
    const char *key;
    bool (*read)(const char *value, size_t size, radio::Settings &out);
};
constexpr Word kWords[] = {{"sleep_type=", read_sleep},
                           {"phy_mode=", read_phy},
                           {"tx_power_qdbm=", read_power},
                           {"tx_rate_mbps=", read_rate},
                           {"join=", read_join}};

} // namespace

radio::Settings radio::take(char *words) {
    Settings settings{false, PHY_MODE_11N, -1, 0, false};
    for (const Word &each : kWords) {
        char *word = find(words, each.key);
        if (!word)
            continue;
        size_t size = strcspn(word, " "), head = strlen(each.key);
        if (each.read(word + head, size - head, settings))
            memset(word, ' ', size);
    }
    return settings;
}

void radio::set(const Settings &settings, bool sleeps) {
    wifi_set_phy_mode(static_cast<phy_mode_t>(settings.phy));
    wifi_set_sleep_type(!sleeps                ? NONE_SLEEP_T
                        : settings.light_sleep ? LIGHT_SLEEP_T
                                               : MODEM_SLEEP_T);
    if (settings.power_qdbm >= 0)
        system_phy_set_max_tpw(static_cast<uint8>(settings.power_qdbm));
    for (const Rate &rate : kRates)
        if (rate.mbps == settings.rate_mbps)
            wifi_set_user_fixed_rate(FIXED_RATE_MASK_STA, rate.code);
}

bool radio::sleeps_light() {
    return wifi_get_sleep_type() == LIGHT_SLEEP_T;
}

int radio::describe(const Settings &settings, char *out, size_t size) {
    unsigned phy = wifi_get_phy_mode();
    sleep_type_t sleep = wifi_get_sleep_type();
    uint8 mask = 0, code = 0;
    unsigned rate_mbps = 0;
    wifi_get_user_fixed_rate(&mask, &code);
    for (const Rate &rate : kRates)
        if (mask & FIXED_RATE_MASK_STA && rate.code == code)
            rate_mbps = rate.mbps;
    return snprintf(out, size,
                    "\"phy\":\"%c\",\"channel\":%u,\"rssi_dbm\":%d,\"sleep\":\"%s\","
                    "\"tx_rate_mbps\":%u,\"tx_power_set_qdbm\":%d",
                    phy - 1 < 3 ? kPhys[phy - 1] : '?', wifi_get_channel(), wifi_station_get_rssi(),
                    sleep == NONE_SLEEP_T    ? "none"
                    : sleep == LIGHT_SLEEP_T ? "light"
                                             : "modem",
                    rate_mbps, settings.power_qdbm);
}
