/*
 * Words of an HTTP head (RFC 9110 section 5.6): what the HTTP parser and the WebSocket handshake
 * both read from a line.
 */
#ifndef TW_HTTP_TOKEN_H
#define TW_HTTP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of a line; not terminated. */
struct tw_http_slice {
    const char *at;
    size_t size;
};

char tw_http_lower(char c);
/* Without the blanks (space, tab) at either end. */
struct tw_http_slice tw_http_trim(struct tw_http_slice text);
/* True when the text is `word`, which is lower case, in any case of letters. */
bool tw_http_same(struct tw_http_slice text, const char *word);
/* True when the text is a token: what the name of a field may be (section 5.6.2). */
bool tw_http_is_token(struct tw_http_slice text);
/* Takes the next entry off a comma-separated list; false when it was the last one. */
bool tw_http_next_entry(struct tw_http_slice *list, struct tw_http_slice *entry);
/* True when the comma-separated list has the lower-case `word` (section 5.6.1). */
bool tw_http_list_has(struct tw_http_slice list, const char *word);
/* Cuts "NAME: VALUE" into the name as it stands and the value without blanks around it; false when
 * there is no colon. */
bool tw_http_split_field(struct tw_http_slice line, struct tw_http_slice *name,
                         struct tw_http_slice *value);

#endif
