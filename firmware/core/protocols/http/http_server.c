#include <string.h>

#include "core/config.h"
#include "core/util/bytes.h"
#include "core/util/emit.h"
#include "http.h"
#include "http_target.h"

/* A connection without traffic is closed, for others to have its place. */
#define IDLE_LIMIT TW_SECONDS(60)

void tw_http_server_open(struct tw_http *h, tw_time now, uint8_t link) {
    struct tw_http_link *l = &h->as.links[link];
    *l = (struct tw_http_link){.open = true, .idle_at = now + IDLE_LIMIT};
    tw_http_parser_start(&l->parser, false);
    tw_emit(h->host, TW_EVENT_CONNECTED, link, NULL);
}

/* Queues an answer. When a client pipelines more than fits, it gets 503 and the connection ends. */
static void answer(struct tw_http *h, struct tw_http_link *l, uint16_t status, bool close) {
    bool full = l->answer_count == TW_HTTP_ANSWERS - 1;
    if (l->closing)
        return;
    l->closing = close || full || (status >= 200 && !h->config->keep_alive);
    l->answers[l->answer_count++] = (struct tw_http_answer){
        .status = full ? 503 : status,
        .head = l->parser.method == TW_HTTP_HEAD,
        .close = l->closing,
    };
}

/* What the head of a request already decides; 0: nothing. */
static uint16_t judge(const struct tw_http *h, const struct tw_http_parser *p) {
    if (p->https && h->config->security == TW_SECURITY_NONE)
        return 421; /* RFC 9110 section 7.4 */
    if (p->path[0] && !tw_http_is_path_of(p->path, h->config->topic))
        return 404;
    return p->method == TW_HTTP_OTHER ? 405 : 0;
}

static void on_headers(struct tw_http *h, struct tw_http_link *l) {
    uint16_t refusal = judge(h, &l->parser);
    l->refused = refusal != 0;
    if (!l->parser.expect_continue)
        return;
    if (l->refused)
        answer(h, l, refusal, true); /* nobody knows whether the body follows */
    else
        answer(h, l, 100, false);
}

/* The request is complete. */
static void on_request(struct tw_http *h, tw_time now, struct tw_http_link *l,
                       enum tw_http_method method, uint16_t refusal, bool old) {
    bool gets = method == TW_HTTP_GET || method == TW_HTTP_HEAD;
    answer(h, l, refusal ? refusal : gets ? 200 : 204, l->parser.close);
    struct tw_http_answer *a = &l->answers[l->answer_count - 1];
    a->head = method == TW_HTTP_HEAD;
    a->old = old;
    if (gets && a->status == 200) {
        h->host->make(h->host->ctx, now, &a->message);
        tw_emit_message(h->host, TW_EVENT_SERVED, &a->message, NULL);
    }
}

void tw_http_server_on_bytes(struct tw_http *h, tw_time now, uint8_t link, const uint8_t *data,
                             size_t size) {
    struct tw_http_link *l = &h->as.links[link];
    struct tw_http_item item = {.kind = TW_HTTP_BODY};
    l->idle_at = now + IDLE_LIMIT;
    while (l->open && !l->closing && (size || item.kind != TW_HTTP_MORE)) {
        /* The last item of a message resets the parser: keep what the head said. */
        enum tw_http_method method = l->parser.method;
        bool old = l->parser.old;
        uint16_t refusal = judge(h, &l->parser);
        size_t used = tw_http_parse(&l->parser, data, size, &item);
        data += used;
        size -= used;
        if (item.kind == TW_HTTP_MALFORMED) {
            answer(h, l, item.status, true);
        } else if (item.kind == TW_HTTP_HEADERS) {
            on_headers(h, l);
        } else if (item.kind == TW_HTTP_BODY) {
            bool upload = method == TW_HTTP_POST || method == TW_HTTP_PUT;
            if (upload && !l->refused)
                tw_emit_received(h->host, link, item.data, item.size, item.offset, item.last);
            if (item.last)
                on_request(h, now, l, method, refusal, old);
        }
    }
}

void tw_http_server_on_time(struct tw_http *h, tw_time now) {
    for (uint8_t link = 0; link < TW_LINKS; link++) {
        struct tw_http_link *l = &h->as.links[link];
        if (l->open && now >= l->idle_at) {
            l->idle_at = TW_NEVER;
            tw_emit(h->host, TW_EVENT_CLOSE, link, "idle");
        }
    }
}

/* When the rest of an answer may leave that has begun to: so long after what passed last. */
static tw_time piece_at(const struct tw_http *h, const struct tw_http_link *l) {
    return l->idle_at - IDLE_LIMIT + TW_MS(h->config->piece_ms);
}

tw_time tw_http_server_deadline(const struct tw_http *h) {
    tw_time due = TW_NEVER;
    for (const struct tw_http_link *l = h->as.links; l < h->as.links + TW_LINKS; l++) {
        if (l->open && l->idle_at < due)
            due = l->idle_at;
        if (l->open && l->sent && piece_at(h, l) < due)
            due = piece_at(h, l);
    }
    return due;
}

static const char *reason_phrase(uint16_t status) {
    switch (status) {
    case 100:
        return "100 Continue";
    case 200:
        return "200 OK";
    case 204:
        return "204 No Content";
    case 404:
        return "404 Not Found";
    case 405:
        return "405 Method Not Allowed";
    case 414:
        return "414 URI Too Long";
    case 421:
        return "421 Misdirected Request";
    case 501:
        return "501 Not Implemented";
    case 503:
        return "503 Service Unavailable";
    case 505:
        return "505 HTTP Version Not Supported";
    default:
        return "400 Bad Request";
    }
}

/* Writes the head of an answer into the scratch buffer. */
static struct tw_http_text compose(struct tw_http *h, const struct tw_http_answer *a) {
    struct tw_writer w = tw_writer(h->scratch, sizeof h->scratch);
    tw_put_text(&w, "HTTP/1.1 ");
    tw_put_text(&w, reason_phrase(a->status));
    tw_put_text(&w, "\r\n");
    if (a->close)
        tw_put_text(&w, "Connection: close\r\n");
    else if (a->old)
        tw_put_text(&w, "Connection: keep-alive\r\n"); /* appendix C.2.2 */
    if (a->status == 405)
        tw_put_text(&w, "Allow: GET, HEAD, POST, PUT\r\n");
    if (a->status == 200)
        return tw_http_put_body(&w, &a->message, h->config->chunked && !a->old, a->head);
    if (a->status < 200 || a->status == 204)
        tw_put_text(&w, "\r\n");
    else
        tw_put_text(&w, "Content-Length: 0\r\n\r\n");
    return (struct tw_http_text){.head = w.used, .size = w.used};
}

/* Where the piece ends that begins at `sent`, of an answer whose head is in the scratch buffer:
 * each piece is one call into TCP, as Espressif's server makes them. */
static size_t piece_end(const struct tw_http *h, const struct tw_http_text *text, size_t sent) {
    static const char blank_line[] = "\r\n\r\n";
    size_t fields = 0;
    if (!h->config->pieces)
        return text->size;
    while (fields + 4 <= text->head && memcmp(h->scratch + fields, blank_line, 4))
        fields++;
    size_t ends[] = {fields + 2, fields + 4, text->size};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sent < ends[i] && ends[i] <= text->size)
            return ends[i];
    return text->size;
}

bool tw_http_server_output(struct tw_http *h, tw_time now, uint8_t link, struct tw_output *out) {
    struct tw_http_link *l = &h->as.links[link];
    if (!l->open || !l->answer_count || (l->sent && now < piece_at(h, l)))
        return false;
    struct tw_http_text text = compose(h, &l->answers[0]);
    return tw_http_piece(h, &text, l->sent, piece_end(h, &text, l->sent), out);
}

void tw_http_server_accepted(struct tw_http *h, tw_time now, uint8_t link, size_t size) {
    struct tw_http_link *l = &h->as.links[link];
    l->sent += (uint32_t)size;
    l->idle_at = now + IDLE_LIMIT;
    if (!l->answer_count || l->sent < compose(h, &l->answers[0]).size)
        return;
    bool close = l->answers[0].close;
    l->sent = 0;
    l->answer_count--;
    memmove(l->answers, l->answers + 1, l->answer_count * sizeof l->answers[0]);
    if (close)
        tw_emit(h->host, TW_EVENT_CLOSE, link, "response_complete");
}

bool tw_http_server_idle(const struct tw_http *h) {
    for (uint8_t link = 0; link < TW_LINKS; link++)
        if (h->as.links[link].open && h->as.links[link].answer_count)
            return false;
    return true;
}
