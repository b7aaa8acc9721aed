/*
 * MQTT-SN 1.2 client over UDP: gateway search, will, registered, predefined and short topics, QoS
 * -1, 0, 1 and 2, sleeping, and retransmission (T_retry, N_retry).
 *
 * States (mqttsn.c). on_open leads from CLOSED to SEARCHING with search=1, to PREPARING with QoS -1
 * and to CONNECTING otherwise.
 *
 *   state           sends                left by
 *   SEARCHING       SEARCHGW             ADVERTISE or GWINFO, to CONNECTING or PREPARING
 *   CONNECTING      CONNECT              CONNACK, to PREPARING
 *   PREPARING       SUBSCRIBE, REGISTER  SUBACK and REGACK, as far as needed, to READY
 *   READY           PUBLISH, PINGREQ     a topic id refused, to PREPARING
 *                                        IDLE_BEFORE_SLEEP of silence, to FALLING_ASLEEP
 *   FALLING_ASLEEP  DISCONNECT           DISCONNECT, to ASLEEP
 *   ASLEEP                               the end of its time, to AWAKE
 *                                        a message to publish, to CONNECTING
 *   AWAKE           PINGREQ              PINGRESP, to ASLEEP
 *
 * One request at a time is repeated until it is answered. After N_RETRY repetitions, or on an
 * error, the state is DONE. finish leads there, too, with a DISCONNECT if there is a connection.
 */
#ifndef TW_MQTTSN_H
#define TW_MQTTSN_H

#include "core/engine.h"
#include "core/util/id_set.h"
#include "core/util/inflight.h"
#include "mqttsn_packet.h"

/* Section 7.2 recommends 3 to 5. T_retry is the configuration's retry_ms. */
#define TW_MQTTSN_N_RETRY 5u
/* T_SEARCHGW, section 7.2. */
#define TW_MQTTSN_T_SEARCHGW_MS 5000u
/* T_WAIT, how long a congested gateway is left alone: more than 5 minutes (section 7.2). */
#define TW_MQTTSN_T_WAIT TW_SECONDS(301)

#define TW_MQTTSN_REPLIES 16 /* acknowledgements waiting to leave */

struct tw_mqttsn_reply {
    uint8_t type, code;
    uint16_t topic_id, message_id;
};

struct tw_mqttsn {
    const struct tw_config *config;
    const struct tw_host *host;
    struct tw_random *random;
    struct tw_peer gateway; /* address 0: the configured peer */
    uint8_t state;
    /* The request that waits for its answer: one at a time, repeated until it comes. */
    uint8_t request, attempts;
    bool request_send, request_open;
    uint16_t request_id;
    tw_time request_due;
    tw_time ping_due, idle_due, wake_due;
    tw_time congested_until; /* TW_NEVER: it is not */
    bool subscribed, was_connected, resuming;
    bool renewed; /* the topic was registered again, and no PUBLISH was acknowledged since */
    uint16_t next_id, publish_id, subscribe_id; /* topic ids in force, 0: none yet */
    uint16_t refused_id;                        /* the id before publish_id */
    bool one_way_pending;                       /* a QoS -1 or 0 message waits to leave */
    struct tw_message one_way;
    struct tw_inflight inflight;
    struct tw_id_set topics;    /* ids that the gateway registered for names that match ours */
    struct tw_id_set receiving; /* incoming QoS 2 messages between PUBREC and PUBREL */
    uint8_t reply_count;
    struct tw_mqttsn_reply replies[TW_MQTTSN_REPLIES];
    uint8_t sending; /* what the last output was */
    struct tw_flight *sending_flight;
    uint8_t datagram[TW_SEGMENT_MAX + 16u];
};

extern const struct tw_engine tw_mqttsn_engine;

/* Returns whether this role has a subscription. */
bool tw_mqttsn_subscribes(const struct tw_mqttsn *m);
/* Queues an acknowledgement, or another answer without a payload. */
void tw_mqttsn_reply(struct tw_mqttsn *m, enum tw_mqttsn_type type, uint16_t topic_id,
                     uint16_t message_id, uint8_t code);
/* Returns whether a message of this type is accepted from this sender. Any gateway or neighbour may
 * answer a search (section 6.1); after that, only the gateway in use counts. */
bool tw_mqttsn_accepts(const struct tw_mqttsn *m, bool searching, const struct tw_peer *from,
                       uint8_t type);
/* The gateway registers a name, publishes, releases a QoS 2 message (mqttsn_incoming.c). */
void tw_mqttsn_on_register(struct tw_mqttsn *m, const struct tw_mqttsn_packet *p);
void tw_mqttsn_on_publish(struct tw_mqttsn *m, const struct tw_mqttsn_packet *p);
void tw_mqttsn_on_pubrel(struct tw_mqttsn *m, uint16_t id);
/* Writes the output that is due next into `datagram` and notes it for `accepted`; returns its size,
 * 0 for none (mqttsn_output.c). */
size_t tw_mqttsn_output(struct tw_mqttsn *m, struct tw_peer *to);
/* The output noted last has left. */
void tw_mqttsn_sent(struct tw_mqttsn *m);
/* The two characters of a short topic name as its id (section 5.3.11). */
uint16_t tw_mqttsn_short_topic(const char *name);

#endif
