/*
 * The security context of OSCORE (RFC 8613, section 3): keys from the input parameters, the nonce
 * and the additional data of a message, and the sender sequence number with the record by which it
 * survives a restart.
 */
#ifndef TW_OSCORE_CONTEXT_H
#define TW_OSCORE_CONTEXT_H

#include "oscore_crypto.h"

/* Of an ID: the nonce less 6 bytes (section 3.3). Of a Partial IV: section 5. */
#define TW_OSCORE_ID_MAX (TW_OSCORE_NONCE_BYTES - 6)
#define TW_OSCORE_PIV_MAX 5
/* An ID Context that is stored: one that appendix B.2 made (oscore_rederive.h), and the longest one
 * that is on the way to it. */
#define TW_OSCORE_KEPT_ID_CONTEXT_MAX 24
#define TW_OSCORE_ID_CONTEXT_MAX 40
/* The last sequence number that may be used (section 7.2.1). */
#define TW_OSCORE_LAST ((UINT64_C(1) << 40) - 1)

/* A Sender ID, Recipient ID or Partial IV. */
struct tw_oscore_id {
    uint8_t size, bytes[TW_OSCORE_ID_MAX];
};

/* The input parameters (section 3.2); `id_context` with data NULL: there is none. */
struct tw_oscore_input {
    struct tw_oscore_bytes secret, salt, id_context, sender_id, recipient_id;
};

/* What both ends were given before, compiled in (firmware/secure/oscore_credentials.py). The
 * Sender ID is that of a device without sender_id=. */
extern const struct tw_oscore_input tw_oscore_credentials;

/* Where a context that appendix B.2 derives stands; the others are established. */
enum tw_oscore_stage {
    TW_OSCORE_ESTABLISHED,
    TW_OSCORE_FIRST, /* of the client's number alone: requests ask for the server's */
    TW_OSCORE_THIRD  /* of both numbers, and no response was verified yet */
};

struct tw_oscore_context {
    struct tw_oscore_id sender;
    struct tw_oscore_id recipient;
    uint8_t sender_key[TW_OSCORE_KEY_BYTES], recipient_key[TW_OSCORE_KEY_BYTES];
    uint8_t common_iv[TW_OSCORE_NONCE_BYTES];
    uint64_t next; /* the sender sequence number */
    uint8_t stage; /* enum tw_oscore_stage; until it is established, requests name the ID Context as
                      a byte string of CBOR (appendix B.2) */
    bool names_id_context; /* established: requests name it as it is (section 5.1) */
    uint8_t id_context_size, id_context[TW_OSCORE_ID_CONTEXT_MAX];
};

/* Established, from number 0, without the ID Context in requests. False if an ID or the ID Context
 * is too long, both IDs are the same, or a primitive fails. */
bool tw_oscore_derive(struct tw_oscore_context *context, const struct tw_oscore_input *input);

/* Writes a byte string of CBOR (RFC 8949, section 3), of 255 bytes at most. */
struct tw_writer;
void tw_oscore_put_bytes(struct tw_writer *w, struct tw_oscore_bytes bytes);

/* A sequence number as a Partial IV: without leading zeros, and one byte for 0 (section 5). */
struct tw_oscore_id tw_oscore_piv(uint64_t sequence);
/* Section 5.2: `id` is that of the endpoint whose Partial IV this is. */
void tw_oscore_nonce(const struct tw_oscore_context *context, const struct tw_oscore_id *id,
                     const struct tw_oscore_id *piv, uint8_t out[TW_OSCORE_NONCE_BYTES]);
#define TW_OSCORE_AAD_MAX 32
/* The Enc_structure of sections 5.3 and 5.4; returns its size. */
size_t tw_oscore_aad(const struct tw_oscore_id *request_kid, const struct tw_oscore_id *request_piv,
                     uint8_t out[TW_OSCORE_AAD_MAX]);

/* The record of the sequence number and the ID Context: where it is lost, a new start with the same
 * keys would use a nonce again. */
#define TW_OSCORE_RECORD_BYTES (18 + TW_OSCORE_KEPT_ID_CONTEXT_MAX)
void tw_oscore_save(const struct tw_oscore_context *context, uint8_t out[TW_OSCORE_RECORD_BYTES]);
/* Derives the context of the record, with its number; false, and nothing changes, if the record is
 * broken or of other input parameters. The ID Context is the record's. */
bool tw_oscore_restore(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                       const uint8_t record[TW_OSCORE_RECORD_BYTES]);

#endif
