#include "http_parser.h"

#include <string.h>

#include "core/util/bytes.h"
#include "http_target.h"

enum state {
    START,
    FIELDS,
    BODY,
    UNTIL_CLOSE,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILER,
    EMPTY,
    BROKEN
};

void tw_http_parser_start(struct tw_http_parser *p, bool responses) {
    *p = (struct tw_http_parser){.responses = responses, .state = START};
}

static int digit_value(char c, unsigned base) {
    int value = tw_hex_digit(c);
    return value < (int)base ? value : -1;
}

/* A number of at least one digit that fills [text, text + size); false otherwise. */
static bool read_number(const char *text, size_t size, unsigned base, uint32_t *value) {
    *value = 0;
    for (size_t i = 0; i < size; i++) {
        int digit = digit_value(text[i], base);
        if (digit < 0 || *value > (UINT32_MAX - (uint32_t)digit) / base)
            return false;
        *value = *value * base + (uint32_t)digit;
    }
    return size > 0;
}

/* "HTTP/1.x": sets `old` for 1.0; the status of refusal otherwise. */
static uint16_t read_version(struct tw_http_parser *p, const char *text, size_t size) {
    if (size != 8 || memcmp(text, "HTTP/", 5) || text[6] != '.' || digit_value(text[5], 10) < 0 ||
        digit_value(text[7], 10) < 0)
        return 400;
    p->old = text[7] == '0';
    return text[5] == '1' ? 0 : 505;
}

static void read_method(struct tw_http_parser *p, const char *text, size_t size) {
    static const char *const names[] = {"GET", "HEAD", "POST", "PUT"};
    p->method = TW_HTTP_OTHER;
    for (unsigned i = 0; i < 4; i++)
        if (strlen(names[i]) == size && !memcmp(names[i], text, size))
            p->method = (enum tw_http_method)i;
}

static uint16_t read_target(struct tw_http_parser *p, struct tw_http_slice target) {
    enum tw_http_target form = tw_http_read_target(target, p->path, sizeof p->path);
    p->https = form == TW_HTTP_TARGET_SECURE;
    if (form == TW_HTTP_TARGET_LONG)
        return 414;
    if (form == TW_HTTP_TARGET_OTHER)
        return p->method == TW_HTTP_OTHER ? 0 : 400;
    return form == TW_HTTP_TARGET_WRONG ? 400 : 0;
}

/* METHOD SP TARGET SP VERSION (section 3). */
static uint16_t read_request_line(struct tw_http_parser *p) {
    const char *text = p->line.text, *end = text + p->line.size;
    const char *first = memchr(text, ' ', p->line.size);
    const char *second = first ? memchr(first + 1, ' ', (size_t)(end - first - 1)) : NULL;
    if (p->line.too_long)
        return 414;
    if (!second || first == text || second == first + 1)
        return 400;
    read_method(p, text, (size_t)(first - text));
    uint16_t refusal =
        read_target(p, (struct tw_http_slice){first + 1, (size_t)(second - first - 1)});
    uint16_t version = read_version(p, second + 1, (size_t)(end - second - 1));
    return version ? version : refusal;
}

/* VERSION SP STATUS [SP REASON] (section 4). */
static uint16_t read_status_line(struct tw_http_parser *p) {
    uint32_t status;
    const char *text = p->line.text;
    size_t size = p->line.size;
    if (size < 12 || text[8] != ' ' || (size > 12 && text[12] != ' ') ||
        !read_number(text + 9, 3, 10, &status) || status < 100)
        return 400;
    p->status = (uint16_t)status;
    return read_version(p, text, 8);
}

/* A length, or a list of the same one (section 6.3, item 5). */
static uint16_t read_length(struct tw_http_parser *p, struct tw_http_slice value) {
    for (bool more = true; more;) {
        struct tw_http_slice entry;
        uint32_t length;
        more = tw_http_next_entry(&value, &entry);
        if (!read_number(entry.at, entry.size, 10, &length) || (p->has_length && length != p->left))
            return 400;
        p->has_length = true;
        p->left = length;
    }
    return 0;
}

/* A list of codings, which may go on in another field: `chunked` when it ends so. */
static uint16_t read_codings(struct tw_http_parser *p, struct tw_http_slice list) {
    p->coded = true;
    for (bool more = true; more;) {
        struct tw_http_slice coding;
        more = tw_http_next_entry(&list, &coding);
        if (!coding.size)
            continue; /* RFC 9110 section 5.6.1.2 */
        bool chunks = tw_http_same(coding, "chunked");
        if (chunks && p->chunked)
            return 400; /* never twice (section 6.1) */
        p->chunked = chunks;
        p->unknown_coding |= !chunks;
    }
    return 0;
}

/* The name of a request's field is a token (section 5.1). In a response only a blank before the
 * colon is refused: this client is its last reader, and no other can disagree. */
static bool name_allowed(const struct tw_http_parser *p, struct tw_http_slice name) {
    return p->responses ? name.size && tw_http_trim(name).size == name.size
                        : tw_http_is_token(name);
}

/* NAME ":" OWS VALUE OWS (section 5). */
static uint16_t read_field(struct tw_http_parser *p) {
    struct tw_http_slice name, value;
    bool found =
        tw_http_split_field((struct tw_http_slice){p->line.text, p->line.size}, &name, &value);
    if (!found || !name_allowed(p, name))
        return 400; /* a request's that is folded (section 5.2) has a blank in its name */
    if (tw_http_same(name, "content-length"))
        return p->line.too_long ? 400 : read_length(p, value);
    if (tw_http_same(name, "transfer-encoding"))
        return p->line.too_long ? 400 : read_codings(p, value);
    if (tw_http_same(name, "connection")) {
        p->close |= tw_http_list_has(value, "close");
        p->keep_alive |= tw_http_list_has(value, "keep-alive");
    } else if (tw_http_same(name, "expect")) {
        p->expect_continue |= tw_http_same(value, "100-continue");
    } else if (tw_http_same(name, "host")) {
        bool twice = p->has_host;
        p->has_host = true;
        return twice ? 400 : 0;
    }
    return 0;
}

/* The head is complete: how long is the body (section 6.3)? Returns a refusal or 0. */
static uint16_t end_head(struct tw_http_parser *p) {
    if (p->refusal)
        return p->refusal;
    if (p->coded && (p->has_length || p->old || !p->chunked))
        return 400; /* the classic ways to make two readers disagree (sections 6.1 and 6.3) */
    if (p->unknown_coding)
        return 501; /* section 6.1 */
    if (!p->responses && !p->old && !p->has_host)
        return 400; /* section 3.2 */
    if (p->old && !p->keep_alive)
        p->close = true;
    if (p->old)
        p->expect_continue = false; /* RFC 9110 section 10.1.1 */
    bool bodiless = p->responses && (p->status < 200 || p->status == 204 || p->status == 304);
    p->offset = 0;
    if (bodiless)
        p->state = EMPTY;
    else if (p->chunked)
        p->state = CHUNK_SIZE;
    else if (p->has_length)
        p->state = p->left ? BODY : EMPTY;
    else
        p->state = p->responses ? UNTIL_CLOSE : EMPTY;
    if (p->state == UNTIL_CLOSE)
        p->close = true;
    return 0;
}

static uint16_t read_chunk_size(struct tw_http_parser *p) {
    const char *line = p->line.text, *extension = memchr(line, ';', p->line.size);
    size_t size = extension ? (size_t)(extension - line) : p->line.size;
    struct tw_http_slice text = tw_http_trim((struct tw_http_slice){line, size});
    if ((p->line.too_long && !extension) || text.at != line ||
        !read_number(text.at, text.size, 16, &p->left))
        return 400;
    p->state = p->left ? CHUNK : TRAILER;
    return 0;
}

/* A line of the framing of chunks ends in CRLF: LF alone is where readers disagree about where the
 * body ends (CVE-2025-22871; erratum 7633 of RFC 9112). */
static uint16_t end_chunk_line(struct tw_http_parser *p) {
    if (p->line.bad || p->line.bare)
        return 400;
    if (p->state == CHUNK_SIZE)
        return read_chunk_size(p);
    if (p->state == CHUNK_END) {
        p->state = CHUNK_SIZE;
        return p->line.size ? 400 : 0;
    }
    if (!p->line.size) /* fields after the last chunk are ignored */
        p->state = EMPTY;
    return 0;
}

/* A line is complete. Sets `done` when the head is; returns a refusal or 0. */
static uint16_t end_line(struct tw_http_parser *p, bool *done) {
    uint16_t refusal = 0;
    if (p->state != START && p->state != FIELDS)
        return end_chunk_line(p);
    if (!p->line.size && p->state == START)
        return 0; /* an empty line before the start line is ignored (section 2.2) */
    if (!p->line.size) {
        *done = true;
        return end_head(p);
    }
    if (p->line.bad)
        refusal = 400; /* RFC 9110 section 5.5 */
    else if (p->state == FIELDS)
        refusal = read_field(p);
    else
        refusal = p->responses ? read_status_line(p) : read_request_line(p);
    p->state = FIELDS;
    if (!p->refusal) /* reported after the head, so that the answer is in its place */
        p->refusal = refusal;
    return 0;
}

static size_t malformed(struct tw_http_parser *p, struct tw_http_item *item, uint16_t status) {
    p->state = BROKEN;
    item->kind = TW_HTTP_MALFORMED;
    item->status = status;
    return 0;
}

static bool in_body(const struct tw_http_parser *p) {
    return p->state == BODY || p->state == UNTIL_CLOSE || p->state == CHUNK;
}

/* Hands on body bytes. */
static size_t take_body(struct tw_http_parser *p, const uint8_t *data, size_t size,
                        struct tw_http_item *item) {
    size_t piece = p->state == UNTIL_CLOSE || size < p->left ? size : p->left;
    item->kind = TW_HTTP_BODY;
    item->data = data;
    item->size = piece;
    item->offset = p->offset;
    p->offset += (uint32_t)piece;
    if (p->state == UNTIL_CLOSE)
        return piece;
    p->left -= (uint32_t)piece;
    if (!p->left && p->state == BODY) {
        item->last = true;
        p->state = EMPTY;
    } else if (!p->left) {
        p->state = CHUNK_END;
    }
    return piece;
}

static void next_message(struct tw_http_parser *p) {
    bool responses = p->responses;
    uint16_t status = p->status;
    bool close = p->close;
    tw_http_parser_start(p, responses);
    p->status = status; /* still of interest to the caller of the last item */
    p->close = close;
}

size_t tw_http_parse(struct tw_http_parser *p, const uint8_t *data, size_t size,
                     struct tw_http_item *item) {
    size_t used = 0;
    *item = (struct tw_http_item){.kind = TW_HTTP_MORE};
    if (p->state == BROKEN)
        return malformed(p, item, 400);
    if (p->state == EMPTY) { /* the message ended: with its last body bytes, or without any */
        item->kind = TW_HTTP_BODY;
        item->offset = p->offset;
        item->last = true;
        next_message(p);
        return 0;
    }
    while (used < size) {
        if (in_body(p)) {
            used += take_body(p, data + used, size - used, item);
            if (item->last)
                next_message(p);
            return used;
        }
        if (p->state == START && !p->line.size)
            p->close = false;
        bool done = false, folds = p->responses && p->state == FIELDS;
        enum tw_http_line_end end = tw_http_line_take(&p->line, (char)data[used], folds);
        if (end != TW_HTTP_LINE_BEFORE)
            used++;
        if (end == TW_HTTP_LINE_MORE)
            continue;
        uint16_t refusal = end_line(p, &done);
        tw_http_line_clear(&p->line);
        if (refusal) {
            malformed(p, item, refusal);
            return used;
        }
        if (done) {
            item->kind = TW_HTTP_HEADERS;
            item->status = p->status;
            return used;
        }
        if (p->state == EMPTY)
            return used + tw_http_parse(p, NULL, 0, item);
    }
    return used;
}

bool tw_http_parser_end(const struct tw_http_parser *p) {
    return p->state == UNTIL_CLOSE;
}
