#include "http_token.h"

#include <stdint.h>
#include <string.h>

char tw_http_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

struct tw_http_slice tw_http_trim(struct tw_http_slice text) {
    while (text.size && blank(*text.at))
        text.at++, text.size--;
    while (text.size && blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

bool tw_http_same(struct tw_http_slice text, const char *word) {
    for (size_t i = 0; i < text.size; i++)
        if (!word[i] || tw_http_lower(text.at[i]) != word[i])
            return false;
    return !word[text.size];
}

/* Cuts `text` at the first `mark` into what is before and what is after it; false without one. */
static bool cut(struct tw_http_slice text, char mark, struct tw_http_slice *before,
                struct tw_http_slice *after) {
    const char *found = text.size ? memchr(text.at, mark, text.size) : NULL;
    size_t size = found ? (size_t)(found - text.at) : text.size;
    size_t skip = size + (found != NULL);
    *before = (struct tw_http_slice){text.at, size};
    *after = (struct tw_http_slice){text.at + skip, text.size - skip};
    return found != NULL;
}

bool tw_http_is_token(struct tw_http_slice text) {
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = (uint8_t)text.at[i];
        if (c <= ' ' || c > '~' || strchr("\"(),/:;<=>?@[\\]{}", c))
            return false;
    }
    return text.size > 0;
}

bool tw_http_next_entry(struct tw_http_slice *list, struct tw_http_slice *entry) {
    bool more = cut(*list, ',', entry, list);
    *entry = tw_http_trim(*entry);
    return more;
}

bool tw_http_list_has(struct tw_http_slice list, const char *word) {
    struct tw_http_slice entry;
    bool found = false, more = true;
    while (more && !found) {
        more = tw_http_next_entry(&list, &entry);
        found = tw_http_same(entry, word);
    }
    return found;
}

bool tw_http_split_field(struct tw_http_slice line, struct tw_http_slice *name,
                         struct tw_http_slice *value) {
    bool found = cut(line, ':', name, value);
    *value = tw_http_trim(*value);
    return found;
}
