/*
 * A session in memory that outlives a restart: the bytes that a board keeps, which are believed
 * only if they are whole, of this configuration and of now. In front of the session stands how
 * often the device has started, so that what the seed draws (entropy=seed) does not come again.
 */
#ifndef TW_RESUMPTION_RECORD_H
#define TW_RESUMPTION_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the ESP8266 leaves a program of its RTC memory, less what the Arduino core lets an update
 * overwrite: 512 - 128 bytes. */
#define TW_RESUMPTION_BYTES 384

/* The board: fills `out` with what it was given last, or with anything; false: it keeps nothing. */
bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]);
void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]);

/* As much as an identity tells apart: of the peer, how it is known, and what the device knows. */
#define TW_RESUMPTION_IDENTITY_BYTES 8

struct tw_resumption_record {
    uint32_t starts;     /* of the device, since the memory lost its power */
    uint32_t kept_at_s;  /* UNIX time */
    uint32_t lifetime_s; /* from then; 0: the server gave none */
    uint8_t identity[TW_RESUMPTION_IDENTITY_BYTES];
    uint16_t size; /* of the session; 0: there is none */
};

#define TW_RESUMPTION_HEAD_BYTES 36
#define TW_RESUMPTION_SESSION_BYTES (TW_RESUMPTION_BYTES - TW_RESUMPTION_HEAD_BYTES)

/* Completes `memory`, whose session stands behind its first TW_RESUMPTION_HEAD_BYTES. */
void tw_resumption_seal(uint8_t memory[TW_RESUMPTION_BYTES],
                        const struct tw_resumption_record *record);
/* Reads it back. Returns why it cannot be, in one word of the log, or NULL. */
const char *tw_resumption_unseal(const uint8_t memory[TW_RESUMPTION_BYTES],
                                 struct tw_resumption_record *record);
/* Why a whole record is of no use, in one word of the log, or NULL. */
const char *tw_resumption_unusable(const struct tw_resumption_record *record,
                                   const uint8_t identity[TW_RESUMPTION_IDENTITY_BYTES],
                                   uint32_t now_s);

#endif
