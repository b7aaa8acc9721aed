#include "utf8.h"

bool tw_utf8_take(struct tw_utf8 *text, uint8_t byte) {
    if (text->left) {
        bool good = byte >= text->low && byte <= text->high;
        text->low = 0x80, text->high = 0xBF;
        text->left--;
        return good;
    }
    text->low = 0x80, text->high = 0xBF;
    if (byte < 0x80)
        return true;
    if (byte < 0xC2 || byte > 0xF4)
        return false;
    text->left = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    if (byte == 0xE0)
        text->low = 0xA0; /* no overlong forms */
    else if (byte == 0xED)
        text->high = 0x9F; /* no surrogates */
    else if (byte == 0xF0)
        text->low = 0x90;
    else if (byte == 0xF4)
        text->high = 0x8F; /* nothing above U+10FFFF */
    return true;
}

bool tw_utf8_may_end(const struct tw_utf8 *text) {
    return !text->left;
}
