#include "rtc.h"

#include <string.h>

/* Word accesses only, as the chip's RTC memory requires. */
void rtc_write(size_t at, const void *data, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t word = 0;
        memcpy(&word, (const uint8_t *)data + i, size - i < sizeof word ? size - i : sizeof word);
        XTFPGA_RTC_RAM[(at + i) / sizeof word] = word;
    }
}

void rtc_read(size_t at, void *out, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t word = XTFPGA_RTC_RAM[(at + i) / sizeof word];
        memcpy((uint8_t *)out + i, &word, size - i < sizeof word ? size - i : sizeof word);
    }
}
