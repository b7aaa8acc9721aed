#include <string.h>

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

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool same_word(const char *text, size_t size, const char *word) {
    for (size_t i = 0; i < size; i++)
        if (!word[i] || lower(text[i]) != word[i])
            return false;
    return !word[size];
}

/* True when the comma-separated list has the token "upgrade". */
static bool lists_upgrade(const char *text, size_t size) {
    while (size) {
        size_t part = 0;
        while (part < size && text[part] != ',')
            part++;
        size_t from = 0, to = part;
        while (from < to && text[from] == ' ')
            from++;
        while (to > from && text[to - 1] == ' ')
            to--;
        if (same_word(text + from, to - from, "upgrade"))
            return true;
        part += part < size;
        text += part;
        size -= part;
    }
    return false;
}

static void take_field(struct tw_ws_handshake *h) {
    const char *colon = memchr(h->line, ':', h->size);
    if (!colon || h->too_long)
        return;
    size_t name = (size_t)(colon - h->line), size = h->size - name - 1;
    const char *value = colon + 1;
    while (size && (*value == ' ' || *value == '\t'))
        value++, size--;
    while (size && (value[size - 1] == ' ' || value[size - 1] == '\t'))
        size--;
    if (same_word(h->line, name, "upgrade"))
        h->upgrade = same_word(value, size, "websocket");
    else if (same_word(h->line, name, "connection"))
        h->connection = lists_upgrade(value, size);
    else if (same_word(h->line, name, "sec-websocket-accept"))
        h->accepted = size == strlen(h->accept) && !memcmp(value, h->accept, size);
    else if (same_word(h->line, name, "sec-websocket-extensions") ||
             same_word(h->line, name, "sec-websocket-protocol"))
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
