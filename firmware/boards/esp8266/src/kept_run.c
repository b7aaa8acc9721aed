#include "kept_run.h"

#include <string.h>

/* Neither is a command for the core's boot loader (0xEB001000), which looks at the same words. */
#define RUN_MARK 0x31525754u  /* "TWR1" */
#define LINE_MARK 0x314C5754u /* "TWL1" */

enum { MARK = 0, CHECK = 4, LINE = 8, UNTIL = 12, CHANNEL = 20, BSSID = 21, STATE = 28 };

_Static_assert(STATE + KEPT_RUN_STATE_BYTES <= KEPT_RUN_BYTES, "no room for the run");

static void put(uint8_t *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, size_t size) {
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

uint32_t kept_checksum(const uint8_t *bytes, size_t size) {
    uint32_t sum = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1u ? 0xEDB88320u : 0u);
    }
    return ~sum;
}

static uint32_t check_of(const uint8_t memory[KEPT_RUN_BYTES]) {
    return kept_checksum(memory + LINE, KEPT_RUN_BYTES - LINE);
}

void kept_run_seal(uint8_t memory[KEPT_RUN_BYTES], uint32_t line, const struct kept_run *run) {
    memset(memory, 0, KEPT_RUN_BYTES);
    put(memory + MARK, RUN_MARK, 4);
    put(memory + LINE, line, 4);
    put(memory + UNTIL, run->until, 8);
    memory[CHANNEL] = run->channel;
    memcpy(memory + BSSID, run->bssid, sizeof run->bssid);
    memcpy(memory + STATE, run->state, sizeof run->state);
    put(memory + CHECK, check_of(memory), 4);
}

bool kept_run_unseal(const uint8_t memory[KEPT_RUN_BYTES], uint32_t line, struct kept_run *run) {
    if (get(memory + MARK, 4) != RUN_MARK || get(memory + CHECK, 4) != check_of(memory) ||
        get(memory + LINE, 4) != line)
        return false;
    run->until = get(memory + UNTIL, 8);
    run->channel = memory[CHANNEL];
    memcpy(run->bssid, memory + BSSID, sizeof run->bssid);
    memcpy(run->state, memory + STATE, sizeof run->state);
    return true;
}

void kept_line_seal(uint8_t head[KEPT_LINE_HEAD_BYTES], const uint8_t *line, size_t size) {
    put(head, LINE_MARK, 4);
    put(head + 4, size, 4);
    put(head + 8, kept_checksum(line, size), 4);
}

bool kept_line_unseal(const uint8_t head[KEPT_LINE_HEAD_BYTES], const uint8_t *line, size_t size,
                      uint32_t *checksum) {
    *checksum = (uint32_t)get(head + 8, 4);
    return get(head, 4) == LINE_MARK && get(head + 4, 4) == size &&
           *checksum == kept_checksum(line, size);
}
