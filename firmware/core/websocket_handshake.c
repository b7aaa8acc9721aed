#include <string.h>

#include "http_token.h"
#include "sha1.h"
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

static void take_field(struct tw_ws_handshake *h) {
    struct tw_http_text name, value;
    if (!tw_http_split_field((struct tw_http_text){h->line, h->size}, &name, &value) || h->too_long)
        return;
    if (tw_http_same(name, "upgrade"))
        h->upgrade = tw_http_same(value, "websocket");
    else if (tw_http_same(name, "connection"))
        h->connection |= tw_http_list_has(value, "upgrade");
    else if (tw_http_same(name, "sec-websocket-accept"))
        h->accepted = value.size == strlen(h->accept) && !memcmp(value.at, h->accept, value.size);
    else if (tw_http_same(name, "sec-websocket-extensions") ||
             tw_http_same(name, "sec-websocket-protocol"))
        h->status = false; /* none was asked for (section 4.1) */
}

enum tw_ws_shake tw_ws_handshake_byte(struct tw_ws_handshake *h, uint8_t byte) {
    if (byte != '\n') {
        if (h->size < sizeof h->line)
            h->line[h->size++] = (char)byte;
        else
            h->too_long = true;
        return TW_WS_SHAKE_MORE;
    }
    if (h->size && h->line[h->size - 1] == '\r')
        h->size--;
    if (!h->first_line_read) {
        h->first_line_read = true;
        h->status = h->size >= 12 && !memcmp(h->line, "HTTP/1.1 101", 12) &&
                    (h->size == 12 || h->line[12] == ' ');
    } else if (!h->size) {
        bool good = h->status && h->upgrade && h->connection && h->accepted;
        return good ? TW_WS_SHAKE_DONE : TW_WS_SHAKE_REFUSED;
    } else {
        take_field(h);
    }
    h->size = 0;
    h->too_long = false;
    return TW_WS_SHAKE_MORE;
}
