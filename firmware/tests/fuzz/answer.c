#include "answer.h"

#include <string.h>

#define TYPE(message) ((message)[0] >> 4 & 3)
#define TOKEN_SIZE(message) ((message)[0] & 15u)
#define TYPE_ACK 2

void remember_asked(struct asked *asked, const uint8_t *message, size_t size) {
    if (size < 4 || !message[1])
        return;
    asked->before = asked->last;
    asked->last.size = size < sizeof asked->last.head ? size : sizeof asked->last.head;
    memcpy(asked->last.head, message, asked->last.size);
}

void make_answer(const struct asked *asked, uint8_t operation, uint8_t *message, size_t size) {
    const struct question *to = operation & ANSWER_OLDER ? &asked->before : &asked->last;
    if (!(operation & ANSWER) || !to->size || size < 4)
        return;
    if (TYPE(message) >= TYPE_ACK)
        memcpy(message + 2, to->head + 2, 2);
    size_t token = TOKEN_SIZE(message);
    if (token == TOKEN_SIZE(to->head) && 4 + token <= size && 4 + token <= to->size)
        memcpy(message + 4, to->head + 4, token);
}
