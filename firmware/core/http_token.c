#include "http_token.h"

#include <string.h>

char tw_http_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

struct tw_http_text tw_http_trim(struct tw_http_text text) {
    while (text.size && blank(*text.at))
        text.at++, text.size--;
    while (text.size && blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

bool tw_http_same(struct tw_http_text text, const char *word) {
    for (size_t i = 0; i < text.size; i++)
        if (!word[i] || tw_http_lower(text.at[i]) != word[i])
            return false;
    return !word[text.size];
}

/* Cuts `text` at the first `mark` into what is before and what is after it; false without one. */
static bool cut(struct tw_http_text text, char mark, struct tw_http_text *before,
                struct tw_http_text *after) {
    const char *found = text.size ? memchr(text.at, mark, text.size) : NULL;
    size_t size = found ? (size_t)(found - text.at) : text.size;
    size_t skip = size + (found != NULL);
    *before = (struct tw_http_text){text.at, size};
    *after = (struct tw_http_text){text.at + skip, text.size - skip};
    return found != NULL;
}

bool tw_http_list_has(struct tw_http_text list, const char *word) {
    while (list.size) {
        struct tw_http_text entry;
        cut(list, ',', &entry, &list);
        if (tw_http_same(tw_http_trim(entry), word))
            return true;
    }
    return false;
}

bool tw_http_split_field(struct tw_http_text line, struct tw_http_text *name,
                         struct tw_http_text *value) {
    bool found = cut(line, ':', name, value);
    *value = tw_http_trim(*value);
    return found;
}
