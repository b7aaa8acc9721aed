#include "topic_name.h"

bool tw_topic_name_take(struct tw_utf8 *name, const uint8_t *data, size_t size, bool last) {
    for (size_t i = 0; i < size; i++)
        if (!data[i] || data[i] == '#' || data[i] == '+' || !tw_utf8_take(name, data[i]))
            return false;
    return !last || tw_utf8_may_end(name);
}
