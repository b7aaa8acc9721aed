/*
 * Mutation that keeps the structure of drive.c's scripts: whole steps are dropped, doubled, moved
 * and made, and the bytes of one input change on their own. `repair` then makes its lengths right
 * again, most of the time, so that a packet's content is reached and not its framing alone.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stddef.h>
#include <stdint.h>

#define FIRST_INPUT 6     /* operations from here on carry bytes (drive.c) */
#define STAYS_CLOSED 0x80 /* in an operation before: no link is opened for it */

typedef void (*repair_fn)(uint8_t *data, size_t size);

/* As libFuzzer's LLVMFuzzerCustomMutator. */
size_t mutate(uint8_t *data, size_t size, size_t max_size, unsigned seed, repair_fn repair);

void mend_amqp(uint8_t *data, size_t size);
void mend_coap(uint8_t *data, size_t size);
void mend_mqtt(uint8_t *data, size_t size);
void mend_mqttsn(uint8_t *data, size_t size);
void mend_raw(uint8_t *data, size_t size);
void mend_websocket(uint8_t *data, size_t size);
/* Text: there is nothing to repair; http.dict has its words. */
void mend_nothing(uint8_t *data, size_t size);

#endif
