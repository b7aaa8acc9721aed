#include <string.h>

#include "core/protocols/http/http_token.h"
#include "core/util/sha1.h"
#include "websocket_frame.h"

/* Section 1.3. */
static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

void tw_ws_handshake_start(struct tw_ws_handshake *h, const char key[TW_WS_KEY_TEXT]) {
    uint8_t text[TW_WS_KEY_TEXT + sizeof guid], digest[TW_SHA1_BYTES];
    struct tw_writer w = tw_writer(text, sizeof text);
    memset(h, 0, sizeof *h);
    tw_put_text(&w, key);
    tw_put_text(&w, guid);
    tw_sha1(text, w.used, digest);
    tw_base64(digest, sizeof digest, h->accept);
}

/* A wrong value of a field refuses the handshake, even if the right one comes as well. */
static void take_field(struct tw_ws_handshake *h) {
    struct tw_http_slice name, value;
    if (!tw_http_split_field((struct tw_http_slice){h->line.text, h->line.size}, &name, &value))
        return;
    if (tw_http_same(name, "upgrade")) {
        h->upgrade = true;
        h->wrong |= !tw_http_same(value, "websocket");
    } else if (tw_http_same(name, "connection")) {
        h->connection |= tw_http_list_has(value, "upgrade");
    } else if (tw_http_same(name, "sec-websocket-accept")) {
        h->accepted = true;
        h->wrong |= value.size != strlen(h->accept) || memcmp(value.at, h->accept, value.size);
    } else if (tw_http_same(name, "sec-websocket-extensions") ||
               tw_http_same(name, "sec-websocket-protocol")) {
        h->wrong |= value.size > 0; /* none was asked for (section 4.1) */
    }
}

/* "HTTP/1.1 101": other codes that begin with 1 announce nothing (RFC 9110 section 15.2). */
static void take_status(struct tw_ws_handshake *h) {
    static const char expected[] = "HTTP/1.1 101";
    const char *text = h->line.text;
    size_t size = sizeof expected - 1;
    bool response = h->line.size >= size && (h->line.size == size || text[size] == ' ');
    h->switches = response && !memcmp(text, expected, size);
    h->interim = response && !h->switches && !memcmp(text, expected, size - 2);
    h->status_read = true;
    h->upgrade = h->connection = h->accepted = h->wrong = false;
}

enum tw_ws_shake tw_ws_handshake_byte(struct tw_ws_handshake *h, uint8_t byte) {
    enum tw_http_line_end end = TW_HTTP_LINE_BEFORE;
    while (end == TW_HTTP_LINE_BEFORE) {
        end = tw_http_line_take(&h->line, (char)byte, h->status_read);
        if (end == TW_HTTP_LINE_MORE)
            return TW_WS_SHAKE_MORE;
        if (h->line.bad)
            return TW_WS_SHAKE_REFUSED;
        if (!h->status_read) {
            take_status(h);
        } else if (h->line.size) {
            take_field(h);
        } else if (h->interim) {
            h->status_read = false;
        } else {
            bool good = h->switches && h->upgrade && h->connection && h->accepted && !h->wrong;
            return good ? TW_WS_SHAKE_DONE : TW_WS_SHAKE_REFUSED;
        }
        tw_http_line_clear(&h->line);
    }
    return TW_WS_SHAKE_MORE;
}
