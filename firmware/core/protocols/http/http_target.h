/*
 * The target of a request (RFC 9112 section 3.2): written by the client, read by the server.
 */
#ifndef TW_HTTP_TARGET_H
#define TW_HTTP_TARGET_H

#include "core/util/bytes.h"
#include "http_token.h"

/* Writes "/" and the topic, which is printable ASCII. What no URI holds is written as %XX (RFC 3986
 * section 2.1); a query, and %XX that is there already, stay as they are. */
void tw_http_put_target(struct tw_writer *w, const char *topic);

enum tw_http_target {
    TW_HTTP_TARGET_PATH,   /* origin-form, or absolute-form of http */
    TW_HTTP_TARGET_SECURE, /* absolute-form of https */
    TW_HTTP_TARGET_OTHER,  /* "*", or what only CONNECT has: no path */
    TW_HTTP_TARGET_WRONG,
    TW_HTTP_TARGET_LONG /* its path has no place in `room` */
};
/* Reads a target; its path, without the query and with %XX decoded, goes into `path`. */
enum tw_http_target tw_http_read_target(struct tw_http_slice target, char *path, size_t room);
/* True when a path that was read is that of a topic (RFC 3986 section 6.2.2). */
bool tw_http_is_path_of(const char *path, const char *topic);

#endif
