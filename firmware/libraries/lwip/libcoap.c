/*
 * libcoap over lwIP's UDP: a client that posts. The library repeats confirmable messages and keeps
 * them in order, one at a time (NSTART). A token of two bytes is the message's tag.
 */
#include <string.h>

#include "clock.h"
#include "coap_config.h" /* before the library's own headers */

#include <coap3/coap.h>

#include "libraries/adapter.h"
#include "lwip/timeouts.h"

static coap_context_t *context;
static coap_session_t *session;
static bool called_back;

static uint16_t tag_of(const coap_pdu_t *pdu) {
    coap_bin_const_t token = coap_pdu_get_token(pdu);
    return token.length == 2 ? (uint16_t)(token.s[0] << 8 | token.s[1]) : 0;
}

static coap_response_t on_response(coap_session_t *own, const coap_pdu_t *sent,
                                   const coap_pdu_t *received, const coap_mid_t id) {
    (void)own, (void)sent, (void)id;
    called_back = true;
    if (COAP_RESPONSE_CLASS(coap_pdu_get_code(received)) == 2)
        tw_library_acked(tag_of(received));
    else
        tw_library_lost(tag_of(received));
    return COAP_RESPONSE_OK;
}

static void on_nack(coap_session_t *own, const coap_pdu_t *sent, const coap_nack_reason_t reason,
                    const coap_mid_t id) {
    (void)own, (void)reason, (void)id;
    called_back = true;
    if (sent)
        tw_library_lost(tag_of(sent));
}

/* Repeats what is due, and comes again when the next message is. */
static void tick(void *arg) {
    coap_tick_t now;
    unsigned sockets;
    (void)arg;
    coap_ticks(&now);
    unsigned wait_ms = coap_io_prepare_io(context, NULL, 0, &sockets, now);
    sys_untimeout(tick, NULL);
    if (wait_ms)
        sys_timeout(wait_ms, tick, NULL);
}

static const char *refuses(const struct tw_config *config) {
    (void)config;
    return NULL;
}

static bool confirms(const struct tw_config *config) {
    return config->confirmable;
}

static void disconnect(void) {
    sys_untimeout(tick, NULL);
    if (session)
        coap_session_release(session);
    session = NULL;
}

/* The C library's way out of assert. */
void __assert_func(const char *file, int line, const char *function, const char *expression);
void __assert_func(const char *file, int line, const char *function, const char *expression) {
    (void)function, (void)expression;
    lwip_port_assert_failed(file, (uint32_t)line);
}

static void drop(coap_log_t level, const char *message) {
    (void)level, (void)message;
}

static bool start(void) {
    coap_startup();
    coap_set_log_handler(drop);
    context = coap_new_context(NULL);
    if (!context)
        return false;
    coap_register_response_handler(context, on_response);
    coap_register_nack_handler(context, on_nack);
    return true;
}

static bool connect(const struct tw_config *config) {
    coap_address_t peer;
    disconnect();
    called_back = false;
    if (!context && !start())
        return false;
    coap_address_init(&peer);
    ip_addr_set_ip4_u32_val(peer.addr, lwip_htonl(config->peer));
    peer.port = config->port;
    session = coap_new_client_session(context, NULL, &peer, COAP_PROTO_UDP);
    return session != NULL;
}

static bool connected(void) {
    return session != NULL;
}

static bool available(void) {
    return called_back;
}

/* An acknowledgement may have let the next message go, which has a time of its own. */
static void poll(void) {
    called_back = false;
    tick(NULL);
}

static bool fill(coap_pdu_t *pdu, const char *topic, const uint8_t *data, size_t size,
                 uint16_t tag) {
    const uint8_t token[] = {(uint8_t)(tag >> 8), (uint8_t)tag};
    if (!coap_add_token(pdu, sizeof token, token))
        return false;
    for (const char *end; *topic; topic = end + (*end == '/')) {
        end = topic + strcspn(topic, "/");
        if (!coap_add_option(pdu, COAP_OPTION_URI_PATH, (size_t)(end - topic),
                             (const uint8_t *)topic))
            return false;
    }
    return coap_add_data(pdu, size, data);
}

static enum tw_library_publish publish(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag) {
    coap_pdu_t *pdu = coap_pdu_init(config->confirmable ? COAP_MESSAGE_CON : COAP_MESSAGE_NON,
                                    COAP_REQUEST_CODE_POST, coap_new_message_id(session),
                                    coap_session_max_pdu_size(session));
    if (!pdu)
        return TW_LIBRARY_FULL;
    if (!fill(pdu, config->topic, data, size, tag)) {
        coap_delete_pdu(pdu);
        return TW_LIBRARY_REFUSED;
    }
    bool sent = coap_send(session, pdu) != COAP_INVALID_MID;
    tick(NULL);
    return sent ? TW_LIBRARY_SENT : TW_LIBRARY_REFUSED;
}

const struct tw_library_adapter tw_adapter = {
    .name = "libcoap " TW_LIBCOAP_RELEASE,
    .payload_bytes = 1024, /* within its MTU of 1152 bytes (RFC 7252, section 4.6) */
    .receives = false,
    .refuses = refuses,
    .confirms = confirms,
    .connect = connect,
    .connected = connected,
    .available = available,
    .poll = poll,
    .publish = publish,
    .disconnect = disconnect,
    .now_us = clock_us,
    .calls_back = true,
};
