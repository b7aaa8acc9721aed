#include "http_line.h"

void tw_http_line_clear(struct tw_http_line *line) {
    line->size = 0;
    line->too_long = line->bad = line->bare = line->cr = line->held = false;
}

enum tw_http_line_end tw_http_line_take(struct tw_http_line *line, char c, bool folds) {
    if (line->held) {
        line->held = false;
        if (c != ' ' && c != '\t')
            return TW_HTTP_LINE_BEFORE;
    }
    if (c == '\n') {
        line->bare = !line->cr;
        line->cr = false;
        line->held = folds && line->size;
        return line->held ? TW_HTTP_LINE_MORE : TW_HTTP_LINE_WHOLE;
    }
    line->bad |= !c || line->cr;
    line->cr = c == '\r';
    if (line->cr)
        return TW_HTTP_LINE_MORE;
    if (line->size < sizeof line->text)
        line->text[line->size++] = c;
    else
        line->too_long = true;
    return TW_HTTP_LINE_MORE;
}
