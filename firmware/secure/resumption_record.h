/*
 * A session in memory that survives a restart: the bytes that a board keeps. They are used only if
 * they are complete, match this configuration and have not expired. The count of starts precedes
 * the session, so that random numbers from the seed (entropy=seed) do not repeat.
 */
#ifndef TW_RESUMPTION_RECORD_H
#define TW_RESUMPTION_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The RTC memory of the ESP8266 that a program may use, less the part that the Arduino core's
 * updates overwrite: 512 - 128 bytes. */
#define TW_RESUMPTION_BYTES 384

/* Implemented by the board: fills `out` with the bytes saved last, or with arbitrary bytes. Returns
 * false if the board keeps nothing. */
bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]);
void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]);

/* A digest of the peer's address, the way to authenticate it, and the device's credentials. */
#define TW_RESUMPTION_IDENTITY_BYTES 8

struct tw_resumption_record {
    uint32_t starts;     /* of the device, since the memory lost power */
    uint32_t kept_at_s;  /* UNIX time */
    uint32_t lifetime_s; /* from then; 0: the server gave none */
    uint8_t identity[TW_RESUMPTION_IDENTITY_BYTES];
    uint16_t size; /* of the session; 0: there is none */
};

#define TW_RESUMPTION_HEAD_BYTES 36
#define TW_RESUMPTION_SESSION_BYTES (TW_RESUMPTION_BYTES - TW_RESUMPTION_HEAD_BYTES)

/* Completes `memory`, whose session follows the first TW_RESUMPTION_HEAD_BYTES. */
void tw_resumption_seal(uint8_t memory[TW_RESUMPTION_BYTES],
                        const struct tw_resumption_record *record);
/* Reads a record back. Returns the reason for a failure as one word of the log, or NULL. */
const char *tw_resumption_unseal(const uint8_t memory[TW_RESUMPTION_BYTES],
                                 struct tw_resumption_record *record);
/* The reason why a complete record cannot be used, as one word of the log, or NULL. */
const char *tw_resumption_unusable(const struct tw_resumption_record *record,
                                   const uint8_t identity[TW_RESUMPTION_IDENTITY_BYTES],
                                   uint32_t now_s);

#endif
