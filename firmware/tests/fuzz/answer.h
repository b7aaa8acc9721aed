/*
 * CoAP's message IDs and tokens are drawn by who asks, so that no fuzzer finds them by chance: here
 * its message is made an answer to one of the last two that the engine sent (RFC 7252, sections 4.4
 * and 5.3.1).
 */
#ifndef ANSWER_H
#define ANSWER_H

#include <stddef.h>
#include <stdint.h>

/* In the operation of a step with input: it is an answer; to the last but one. */
#define ANSWER 0x10
#define ANSWER_OLDER 0x20

struct asked {
    struct question {
        uint8_t head[4 + 8]; /* header and token */
        size_t size;         /* 0: nothing was asked yet */
    } last, before;
};

/* A message that the engine sent; those without a code ask nothing. */
void remember_asked(struct asked *asked, const uint8_t *message, size_t size);
/* If the operation is an answer: gives an ACK or a RST the message ID of what was asked, and any
 * message its token, if it has one as long. */
void make_answer(const struct asked *asked, uint8_t operation, uint8_t *message, size_t size);

#endif
