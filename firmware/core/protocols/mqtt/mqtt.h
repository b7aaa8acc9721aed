/*
 * MQTT 3.1.1 client (OASIS standard, 29 October 2014): QoS 0, 1 and 2 in both directions, keep
 * alive, will, and sessions that outlive their connection.
 *
 * States of a connection (mqtt.c):
 *
 *   state        event                          sends        next state
 *   CLOSED       on_open                        CONNECT      CONNECTING
 *   CONNECTING   CONNACK, nothing to subscribe               READY
 *   CONNECTING   CONNACK                        SUBSCRIBE    SUBSCRIBING
 *   SUBSCRIBING  SUBACK                                      READY
 *   READY        finish                         DISCONNECT   FINISHED
 *   CONNECTING   CONNACK, a session to discard  DISCONNECT   FINISHED
 *   any other    finish, or an error in any                  FINISHED
 *   any          on_close                                    CLOSED
 *
 * Messages are published and sent again in READY only. With clean=0 the messages in flight survive
 * CLOSED. So do the incoming identifiers and the subscription, unless CONNACK reports no session.
 * A device that has no session, as after a reset, goes on with the server's. With QoS 2 it discards
 * it instead: by a clean connection, which ends at once.
 */
#ifndef TW_MQTT_H
#define TW_MQTT_H

#include "core/engine.h"
#include "core/util/id_set.h"
#include "core/util/inflight.h"
#include "core/util/owed.h"
#include "core/util/stream_out.h"
#include "mqtt_parser.h"

struct tw_mqtt {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_mqtt_parser parser;
    struct tw_inflight inflight;
    struct tw_id_set receiving; /* incoming QoS 2 messages between PUBREC and PUBREL */
    struct tw_owed owed[4];     /* PUBACK, PUBREC, PUBREL, PUBCOMP that wait for room */
    uint8_t state;
    bool owes_ping;    /* so does PINGREQ */
    bool has_session;  /* what the server keeps is the other half of ours */
    bool discards;     /* this connection ends the server's session, which is not ours */
    bool subscribed;   /* the server's session holds our subscription */
    bool mute;         /* the PUBLISH being read is a duplicate, or lost to the quirk */
    bool segment_full; /* quirk: this segment's one message has been processed */
    bool discard;      /* quirk: the packet whose headers are being read began in such a segment */
    uint8_t incoming_qos;
    uint16_t incoming_id, next_id, subscribe_id;
    tw_time answer_due; /* CONNACK, SUBACK or PINGRESP is late from here on */
    tw_time ping_due;
    struct tw_stream_out out;
};

extern const struct tw_engine tw_mqtt_engine;

#endif
