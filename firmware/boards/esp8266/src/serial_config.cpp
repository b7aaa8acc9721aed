#include "serial_config.hpp"

#include <Arduino.h>

#include <cstring>

namespace {

constexpr char kTooLong[] = " line_too_long";
size_t used;

// Moves the value of the word `key` (with its '=') from `words` to `value` and blanks the word.
void take(char *words, const char *key, char *value, size_t size) {
    char *word = strstr(words, key);
    if (!word || (word != words && word[-1] != ' '))
        return;
    size_t key_size = strlen(key), word_size = strcspn(word, " ");
    size_t value_size = word_size - key_size;
    if (value_size >= size)
        return; // left in place: the application reports it
    memcpy(value, word + key_size, value_size);
    value[value_size] = 0;
    memset(word, ' ', word_size);
}

} // namespace

bool serial_config::poll(Line &line) {
    while (Serial.available()) {
        char byte = static_cast<char>(Serial.read());
        if (byte == '\r')
            continue;
        if (byte != '\n') {
            if (used == 0)
                line = {};
            if (used < sizeof line.words - 1)
                line.words[used++] = byte;
            else // the beginning, which holds the nonce, stays
                memcpy(line.words + used + 1 - sizeof kTooLong, kTooLong, sizeof kTooLong);
            continue;
        }
        if (!used)
            continue;
        used = 0;
        take(line.words, "ssid=", line.ssid, sizeof line.ssid);
        take(line.words, "psk=", line.password, sizeof line.password);
        line.radio = radio::take(line.words);
        return true;
    }
    return false;
}
