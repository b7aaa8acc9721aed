/*
 * Words of an HTTP head (RFC 9110 section 5.6): what the HTTP parser and the WebSocket handshake
 * both read from a line.
 */
#ifndef TW_HTTP_TOKEN_H
#define TW_HTTP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of a line; not terminated. */
struct tw_http_text {
    const char *at;
    size_t size;
};

char tw_http_lower(char c);
/* Without the blanks (space, tab) at either end. */
struct tw_http_text tw_http_trim(struct tw_http_text text);
/* True when the text is `word`, which is lower case, in any case of letters. */
bool tw_http_same(struct tw_http_text text, const char *word);
/* True when the comma-separated list has the lower-case `word` (section 5.6.1). */
bool tw_http_list_has(struct tw_http_text list, const char *word);
/* Cuts "NAME: VALUE" into the name as it stands and the value without blanks around it; false when
 * there is no colon. */
bool tw_http_split_field(struct tw_http_text line, struct tw_http_text *name,
                         struct tw_http_text *value);

#endif
