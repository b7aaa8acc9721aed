#include "http_target.h"

#include <string.h>

/* Stands for an octet that a decoded path cannot hold as it is: "%2F" is no "/" (RFC 3986 section
 * 2.2). No topic has it. */
#define APART '\1'

static int digit_value(char c) {
    char lower = tw_http_lower(c);
    if (c >= '0' && c <= '9')
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The octet of %XX at the beginning of the text; -1: it is none. */
static int escaped(struct tw_http_slice text) {
    if (text.size < 3 || *text.at != '%')
        return -1;
    int high = digit_value(text.at[1]), low = digit_value(text.at[2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Takes a character off the text, decoded. */
static char take(struct tw_http_slice *text) {
    int octet = escaped(*text);
    size_t size = octet < 0 ? 1 : 3;
    char c = octet < 0 ? *text->at : (char)octet;
    text->at += size;
    text->size -= size;
    return size == 3 && (c == '/' || !c) ? APART : c;
}

void tw_http_put_target(struct tw_writer *w, const char *topic) {
    struct tw_http_slice text = {topic, strlen(topic)};
    tw_put8(w, '/');
    for (; text.size; text.at++, text.size--) {
        uint8_t c = (uint8_t)*text.at;
        if (c == '%' ? escaped(text) < 0 : strchr("#<>^`{|}", c) != NULL) {
            tw_put8(w, '%');
            tw_put_hex(w, c);
        } else {
            tw_put8(w, c);
        }
    }
}

static bool begins(struct tw_http_slice text, const char *prefix) {
    size_t size = strlen(prefix);
    return text.size >= size && tw_http_same((struct tw_http_slice){text.at, size}, prefix);
}

/* Takes the authority off: a host, and no user before it (RFC 9110 sections 4.2.1 and 4.2.4). */
static bool take_authority(struct tw_http_slice *target) {
    bool user = false, host = target->size && *target->at != ':';
    size_t size = 0;
    while (size < target->size && target->at[size] != '/' && target->at[size] != '?')
        user |= target->at[size++] == '@';
    target->at += size;
    target->size -= size;
    return size && host && !user;
}

enum tw_http_target tw_http_read_target(struct tw_http_slice target, char *path, size_t room) {
    bool secure = begins(target, "https://");
    size_t used = 0;
    *path = 0;
    if (secure || begins(target, "http://")) {
        size_t scheme = secure ? 8 : 7;
        target = (struct tw_http_slice){target.at + scheme, target.size - scheme};
        if (!take_authority(&target))
            return TW_HTTP_TARGET_WRONG;
        if (!target.size || *target.at == '?')
            path[used++] = '/';
    } else if (*target.at != '/') {
        return TW_HTTP_TARGET_OTHER;
    }
    while (target.size && *target.at != '?') {
        if (*target.at == '%' && escaped(target) < 0)
            return TW_HTTP_TARGET_WRONG;
        if (used + 1 >= room)
            return TW_HTTP_TARGET_LONG;
        path[used++] = take(&target);
    }
    path[used] = 0;
    return secure ? TW_HTTP_TARGET_SECURE : TW_HTTP_TARGET_PATH;
}

bool tw_http_is_path_of(const char *path, const char *topic) {
    struct tw_http_slice text = {topic, strlen(topic)};
    if (*path++ != '/')
        return false;
    while (text.size && *text.at != '?')
        if (take(&text) != *path++)
            return false;
    return !*path;
}
