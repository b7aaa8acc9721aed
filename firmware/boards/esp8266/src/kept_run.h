/*
 * What outlives deep sleep: the record of a run, in RTC memory, and the head of the trial's
 * configuration line, in flash. RTC memory has arbitrary bytes after a loss of power, and flash may
 * have the line of another trial, so each names the other by the line's checksum.
 *
 * Plain C without the Arduino core: its unit tests and the emulated board of the tests run it, too.
 */
#ifndef KEPT_RUN_H
#define KEPT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEPT_RUN_STATE_BYTES 64 /* TW_RUN_BYTES of core/app/app.h */
#define KEPT_RUN_BYTES 96       /* before word 32, where a session of TLS begins */
#define KEPT_LINE_HEAD_BYTES 12

struct kept_run {
    uint64_t until;   /* the board's time at which the sleep ends, us */
    uint8_t channel;  /* of the access point; 0: unknown */
    uint8_t bssid[6]; /* of it */
    uint8_t state[KEPT_RUN_STATE_BYTES];
};

/* CRC-32 of IEEE 802.3. */
uint32_t kept_checksum(const uint8_t *bytes, size_t size);

/* `line`: the checksum of the trial's line. */
void kept_run_seal(uint8_t memory[KEPT_RUN_BYTES], uint32_t line, const struct kept_run *run);
/* False for memory that lost its power or was damaged, and for the run of another trial. */
bool kept_run_unseal(const uint8_t memory[KEPT_RUN_BYTES], uint32_t line, struct kept_run *run);

void kept_line_seal(uint8_t head[KEPT_LINE_HEAD_BYTES], const uint8_t *line, size_t size);
/* False where `size` bytes of a line did not follow this head. Sets `checksum`. */
bool kept_line_unseal(const uint8_t head[KEPT_LINE_HEAD_BYTES], const uint8_t *line, size_t size,
                      uint32_t *checksum);

#ifdef __cplusplus
}
#endif

#endif
