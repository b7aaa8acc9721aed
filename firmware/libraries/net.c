/* The network layer of a build with a library: the library does its own I/O. */
#include "net/net.h"
#include "libraries/adapter.h"

static struct tw_app *app;

void tw_net_start(struct tw_app *started) {
    app = started;
}

enum tw_open tw_net_open(void *ctx, const struct tw_config *config, enum tw_transport transport) {
    (void)ctx, (void)config, (void)transport;
    return TW_OPEN_DONE;
}

size_t tw_net_send(void *ctx, uint8_t link, const struct tw_output *out) {
    (void)ctx, (void)link, (void)out;
    return 0;
}

void tw_net_close(void *ctx, uint8_t link, bool abort) {
    (void)ctx, (void)link, (void)abort;
}

size_t tw_net_unacked(void *ctx, uint8_t link) {
    (void)ctx, (void)link;
    return 0; /* the Arduino core does not report it */
}

/* The time at which bytes arrive is recorded separately from the time at which they are read. */
tw_time tw_net_poll(tw_time now) {
    (void)now;
    if (app && tw_adapter.available())
        tw_app_on_bytes(app, 0, &(struct tw_peer){0}, NULL, 0);
    return tw_adapter.calls_back ? TW_NEVER : 0;
}
