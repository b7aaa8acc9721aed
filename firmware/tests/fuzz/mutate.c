#include "mutate.h"

#include <string.h>

#include "answer.h"

#define STEPS_MAX 256
#define INPUT_MAX 255

/* libFuzzer's own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

struct script {
    size_t count;
    size_t at[STEPS_MAX + 1]; /* where each step begins, then the end */
};

static unsigned draw(unsigned *state, size_t below) {
    *state = *state * 1664525u + 1013904223u;
    return below ? (*state >> 8) % (unsigned)below : 0;
}

static int is_input(uint8_t operation) {
    return (operation & 15) >= FIRST_INPUT;
}

static struct script read_script(const uint8_t *data, size_t size) {
    struct script s = {0};
    size_t at = 1; /* the first byte chooses the configuration */
    while (at + 2 <= size && s.count < STEPS_MAX) {
        s.at[s.count++] = at;
        at += 2u + (is_input(data[at]) ? data[at + 1] : 0u);
    }
    s.at[s.count] = at < size ? at : size;
    return s;
}

/* Replaces `old` bytes at `at` by `size` bytes; the new size of all, which stays if there is no
 * room. `with` may lie in `data`. */
static size_t replace(uint8_t *data, size_t all, size_t max, size_t at, size_t old,
                      const uint8_t *with, size_t size) {
    uint8_t copy[INPUT_MAX + 2];
    if (size > sizeof copy || all - old + size > max)
        return all;
    if (size)
        memcpy(copy, with, size);
    memmove(data + at + size, data + at + old, all - at - old);
    if (size)
        memcpy(data + at, copy, size);
    return all - old + size;
}

/* New bytes for the input of one step. */
static size_t change_input(uint8_t *data, size_t size, size_t max, const struct script *s,
                           size_t step, unsigned *dice, repair_fn repair) {
    uint8_t input[2 + INPUT_MAX];
    size_t at = s->at[step], old = s->at[step + 1] - at;
    if (old < 2 || old > sizeof input)
        return size;
    memcpy(input, data + at, old);
    size_t length = LLVMFuzzerMutate(input + 2, old - 2, INPUT_MAX);
    if (draw(dice, 4) && length)
        repair(input + 2, length);
    input[1] = (uint8_t)length;
    if (!draw(dice, 16)) /* of a server of streams: comes on another link */
        input[0] ^= draw(dice, 2) ? ANSWER : ANSWER_OLDER;
    return replace(data, size, max, at, old, input, 2 + length);
}

size_t mutate(uint8_t *data, size_t size, size_t max, unsigned seed, repair_fn repair) {
    unsigned dice = seed;
    struct script s = read_script(data, size);
    if (!s.count || !draw(&dice, 8))
        return LLVMFuzzerMutate(data, size, max);
    size_t step = draw(&dice, s.count), other = draw(&dice, s.count + 1);
    size_t at = s.at[step], length = s.at[step + 1] - at;
    uint8_t fresh[2] = {(uint8_t)draw(&dice, FIRST_INPUT), (uint8_t)draw(&dice, 256)};
    if (!draw(&dice, 4))
        fresh[0] |= STAYS_CLOSED;
    switch (draw(&dice, 6)) {
    case 0:
        return s.count > 1 ? replace(data, size, max, at, length, NULL, 0) : size;
    case 1: /* a step again, here or elsewhere */
        return replace(data, size, max, s.at[other], 0, data + at, length);
    case 2:
        return replace(data, size, max, s.at[other], 0, fresh, sizeof fresh);
    default:
        while (!is_input(data[s.at[step]]) && step + 1 < s.count)
            step++;
        return change_input(data, size, max, &s, step, &dice, repair);
    }
}

static void put(uint8_t *data, size_t bytes, size_t value) {
    for (size_t i = bytes; i; i--, value >>= 8)
        data[i - 1] = (uint8_t)value;
}

void mend_amqp(uint8_t *data, size_t size) {
    if (size < 8)
        return;
    put(data + 3, 4, size - 8); /* frame: type, channel, size, payload, end */
    data[size - 1] = 0xCE;
}

void mend_coap(uint8_t *data, size_t size) {
    uint8_t token = data[0] & 15;
    if (token > 8 || size < 4u + token)
        token = 0;
    data[0] = (uint8_t)(0x40u | (data[0] & 0x30u) | token); /* version 1 */
}

void mend_mqtt(uint8_t *data, size_t size) {
    if (size < 2 || size > 2 + 127)
        return;
    data[1] = (uint8_t)(size - 2);
}

void mend_mqttsn(uint8_t *data, size_t size) {
    data[0] = (uint8_t)size;
}

void mend_raw(uint8_t *data, size_t size) {
    if (size >= 8)
        put(data + 2, 2, size - 8); /* raw_header.h */
}

void mend_websocket(uint8_t *data, size_t size) {
    if (size < 2)
        return;
    data[0] &= 0x8F; /* no extension */
    if (size <= 2 + 125)
        data[1] = (uint8_t)(size - 2);
    else if (size >= 4) {
        data[1] = 126;
        put(data + 2, 2, size - 4);
    }
}

void mend_nothing(uint8_t *data, size_t size) {
    (void)data, (void)size;
}
