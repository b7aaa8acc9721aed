#include "serial_config.hpp"

#include <Arduino.h>

#include <cstring>

namespace {

char text[sizeof(serial_config::Line::words)];
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
            if (used < sizeof text - 1)
                text[used++] = byte;
            continue;
        }
        text[used] = 0;
        used = 0;
        if (!text[0])
            continue;
        line = {};
        strcpy(line.words, text);
        take(line.words, "ssid=", line.ssid, sizeof line.ssid);
        take(line.words, "psk=", line.password, sizeof line.password);
        line.radio = radio::take(line.words);
        return true;
    }
    return false;
}
