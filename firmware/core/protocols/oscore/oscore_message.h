/*
 * Messages of OSCORE (RFC 8613): the option, a request that is protected and a response that is
 * verified, both as datagrams.
 */
#ifndef TW_OSCORE_MESSAGE_H
#define TW_OSCORE_MESSAGE_H

#include "oscore_context.h"

#define TW_OSCORE_OPTION 9
#define TW_OSCORE_ECHO 252 /* RFC 9175, section 2 */
#define TW_OSCORE_ECHO_MAX 40

/* The ID Context in the option: its size, and at most a header of CBOR. */
#define TW_OSCORE_KID_CONTEXT_MAX (3 + TW_OSCORE_KEPT_ID_CONTEXT_MAX)

/* What protecting adds to a message at most: the option with its header, code, payload marker and
 * tag, a header of an option that no longer fits one byte, and an Echo option. */
#define TW_OSCORE_GROWTH                                                                           \
    (3 + 1 + TW_OSCORE_PIV_MAX + TW_OSCORE_KID_CONTEXT_MAX + TW_OSCORE_ID_MAX + 2 +                \
     TW_OSCORE_TAG_BYTES + 2 + 3 + TW_OSCORE_ECHO_MAX)

/* An Echo option's value; size 0: none. */
struct tw_oscore_echo {
    uint8_t size, bytes[TW_OSCORE_ECHO_MAX];
};

/* The value of the option, as far as a client reads it (section 6.1). */
struct tw_oscore_option {
    bool has_piv;
    struct tw_oscore_id piv;
    struct tw_oscore_bytes kid_context; /* within the value; data NULL: there is none */
};

/* False if the value is malformed. */
bool tw_oscore_read_option(const uint8_t *data, size_t size, struct tw_oscore_option *option);

/* Protects the request `plain`, a datagram of ours, with this Partial IV, and adds the Echo option.
 * The Partial IV of one message protects no other. Returns the size of the datagram in `out`, 0 if
 * it does not fit. */
size_t tw_oscore_protect(const struct tw_oscore_context *context, const struct tw_oscore_id *piv,
                         const struct tw_oscore_echo *echo, struct tw_oscore_bytes plain,
                         uint8_t *out, size_t room);

enum tw_oscore_result {
    TW_OSCORE_VERIFIED,
    TW_OSCORE_UNPROTECTED, /* the message has no option of OSCORE, or is no CoAP */
    TW_OSCORE_MALFORMED,   /* of the option, or there is nothing to decrypt (section 2) */
    TW_OSCORE_INVALID      /* not of the peer, or not the response to this request */
};

/* Verifies the response `datagram` to the request with this Partial IV. A verified one is in `out`
 * as the datagram without OSCORE, of `*size` bytes. `out` is as large as the datagram. The options
 * outside the ciphertext do not count: those that a server may set there are not protected.
 * `asked`: the context of the request, which differs in appendix B.2 only; a response without a
 * number of its own has the nonce of that. */
enum tw_oscore_result tw_oscore_verify(const struct tw_oscore_context *context,
                                       const struct tw_oscore_context *asked,
                                       const struct tw_oscore_id *request_piv,
                                       struct tw_oscore_bytes datagram, uint8_t *out, size_t *size);

/* The value of OSCORE's option of a datagram: the kid context in it; data NULL: it has none. */
struct tw_oscore_bytes tw_oscore_kid_context_of(struct tw_oscore_bytes datagram);

/* The value of the Echo option of a datagram; size 0: it has none that is well-formed. */
struct tw_oscore_echo tw_oscore_echo_of(struct tw_oscore_bytes datagram);

#endif
