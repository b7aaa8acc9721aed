/*
 * A new security context where the old one was lost (RFC 8613, appendix B.2): client and server
 * each add a random number to the ID Context, in two exchanges.
 *
 *   request 1    ID Context R1          the client's kid context: R1
 *   response 1   ID Context R2 || R1    the server's: R2, in an error 4.01
 *   request 2    ID Context R2 || R3    the client's: R2 || R3
 *   response 2   ID Context R2 || R3
 */
#ifndef TW_OSCORE_REDERIVE_H
#define TW_OSCORE_REDERIVE_H

#include "oscore_context.h"

/* Of R1 and R3. That one of them comes again has a probability to be neglected (appendix B.2). */
#define TW_OSCORE_R_BYTES 8
/* Of R2: one of 8 bytes, with 8 of a MAC by which the server knows it again (appendix B.2.1). */
#define TW_OSCORE_R2_MAX (TW_OSCORE_KEPT_ID_CONTEXT_MAX - TW_OSCORE_R_BYTES)

/* Step 1: the context of request 1. */
bool tw_oscore_first(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                     const uint8_t r1[TW_OSCORE_R_BYTES]);
/* Step 3: R2 in the kid context of a response; false if it is none. */
bool tw_oscore_read_r2(struct tw_oscore_bytes kid_context, struct tw_oscore_bytes *r2);
/* Step 3: the context of response 1, from that of the request. */
bool tw_oscore_second(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                      struct tw_oscore_bytes r2, const struct tw_oscore_context *first);
/* Step 3: the context of request 2, and of all that follow. */
bool tw_oscore_third(struct tw_oscore_context *context, const struct tw_oscore_input *input,
                     struct tw_oscore_bytes r2, const uint8_t r3[TW_OSCORE_R_BYTES]);

#endif
