/*
 * The security layer of a build without TLS: data passes through unchanged, and security= is
 * refused.
 */
#include "secure.h"

const struct tw_board *tw_secure_board(const struct tw_board *below,
                                       const struct tw_secure_board *own) {
    (void)own;
    return below;
}

void tw_secure_on_open(struct tw_app *app, uint8_t link) {
    tw_app_on_open(app, link);
}

void tw_secure_on_bytes(struct tw_app *app, uint8_t link, const struct tw_peer *from,
                        const uint8_t *data, size_t size) {
    tw_app_on_bytes(app, link, from, data, size);
}

void tw_secure_on_close(struct tw_app *app, uint8_t link, const char *reason) {
    tw_app_on_close(app, link, reason);
}

void tw_secure_on_room(struct tw_app *app, uint8_t link) {
    tw_app_on_room(app, link);
}

bool tw_secure_computes(void) {
    return false;
}

tw_time tw_secure_poll(struct tw_app *app) {
    return tw_app_poll(app);
}
