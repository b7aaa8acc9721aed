/*
 * MQTT 5 client (OASIS standard, 7 March 2019): QoS 0, 1 and 2 in both directions, keep alive,
 * will, sessions with an expiry, topic aliases, flow control by receive maximum, request and
 * response. In builds with TW_MQTT5; those of MQTT 3.1.1 (mqtt.h) are the same with and without
 * this engine.
 *
 * States of a connection (mqtt5.c):
 *
 *   state        event                             sends                 next state
 *   CLOSED       on_open                           CONNECT               CONNECTING
 *   CONNECTING   CONNACK, nothing to subscribe                           READY
 *   CONNECTING   CONNACK                           SUBSCRIBE             SUBSCRIBING
 *   SUBSCRIBING  SUBACK                                                  READY
 *   READY        finish                            DISCONNECT            FINISHED
 *   CONNECTING   CONNACK, an unknown session       DISCONNECT, expiry 0  FINISHED
 *   any          the server breaks the protocol    DISCONNECT and why    FINISHED
 *   any          DISCONNECT, refusal, no answer                          FINISHED
 *   any          on_close                                                CLOSED
 *
 * With clean=0 the messages in flight survive CLOSED. So do the incoming identifiers and the
 * subscription, unless CONNACK reports no session. A device that has no session, as after a reset,
 * ends one that the server has. It does so by DISCONNECT, since mosquitto does not store a session
 * that began with Clean Start (docs/found). Topic aliases and the quotas of receive maximum belong
 * to a connection.
 */
#ifndef TW_MQTT5_H
#define TW_MQTT5_H

#include "core/engine.h"
#include "core/util/id_set.h"
#include "core/util/inflight.h"
#include "core/util/owed.h"
#include "core/util/stream_out.h"
#include "mqtt5_parser.h"
#include "mqtt5_requests.h"

struct tw_mqtt5 {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_mqtt5_parser parser;
    struct tw_inflight inflight;
    struct tw_id_set receiving; /* incoming QoS 2 messages between PUBREC and PUBREL */
    struct tw_owed owed[4];     /* PUBACK to PUBCOMP that wait for room, with their reason codes */
    struct tw_mqtt5_requests requests;
    uint8_t state;
    bool owes_ping;   /* PINGREQ waits for room */
    bool has_session; /* what the server keeps is the other half of ours */
    bool subscribed;  /* the server's session holds our subscription */
    bool mute;        /* the PUBLISH being read is a duplicate, or answers another request */
    bool alias_set;   /* the server knows our topic by its alias */
    uint8_t incoming_qos;
    uint16_t incoming_id, next_id, subscribe_id;
    uint16_t known_aliases;      /* a bit for each of the server's topic aliases, from 1 on */
    uint16_t alias_max;          /* the server's topic alias maximum */
    uint16_t receive_max, quota; /* the server's receive maximum, and what is left of it */
    uint16_t incoming;           /* QoS 1 and 2 messages that we have not acknowledged in full */
    uint16_t keepalive_s;        /* ours, or the server's instead */
    uint32_t session_expiry_s;   /* ours, or the server's instead */
    uint32_t packet_max;         /* the server's; 0: any */
    uint32_t asked;              /* pace=answer: the number of the last request */
    tw_time answer_due;          /* CONNACK, SUBACK, PINGRESP or the end is late from here on */
    tw_time ping_due;
    char assigned_id[TW_MQTT5_TEXT_BYTES + 1]; /* by the server (assigned_id=1); empty: not yet */
    struct tw_stream_out out;
};

extern const struct tw_engine tw_mqtt5_engine;

#endif
