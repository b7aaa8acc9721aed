/*
 * The lines of an HTTP head or of chunked framing as they arrive (RFC 9112 section 2.2), byte by
 * byte: what the HTTP parser and the WebSocket handshake both read from.
 */
#ifndef TW_HTTP_LINE_H
#define TW_HTTP_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define TW_HTTP_LINE 160 /* what is kept of a line */

struct tw_http_line {
    uint16_t size;
    bool too_long : 1; /* the line has more than was kept */
    bool bad : 1;      /* it has NUL, or CR before anything but its end (RFC 9110 section 5.5) */
    bool bare : 1;     /* it ended in LF without CR */
    bool cr : 1;       /* the last byte was CR */
    bool held : 1;     /* the line is complete unless the next one continues it */
    char text[TW_HTTP_LINE];
};

enum tw_http_line_end {
    TW_HTTP_LINE_MORE,  /* the byte is used, the line goes on */
    TW_HTTP_LINE_WHOLE, /* the byte is used and ends the line */
    TW_HTTP_LINE_BEFORE /* the line ended before this byte: clear it, and give the byte again */
};

void tw_http_line_clear(struct tw_http_line *line);
/* Takes a byte. With `folds`, a line that begins with a blank goes on with the one before it, and
 * its blanks stand for the fold (RFC 9112 section 5.2). */
enum tw_http_line_end tw_http_line_take(struct tw_http_line *line, char c, bool folds);

#endif
