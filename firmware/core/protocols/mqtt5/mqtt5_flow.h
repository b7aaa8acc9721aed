/*
 * What leaves on a connection of MQTT 5 after its opening: messages, their repetition, and
 * acknowledgements both ways, within the quotas of receive maximum (mqtt5.c has the session).
 */
#ifndef TW_MQTT5_FLOW_H
#define TW_MQTT5_FLOW_H

#include "mqtt5.h"

/* How long CONNACK, SUBACK and PINGRESP may take: section 3.1.2.10 speaks of "a reasonable amount
 * of time". The last packet of a broken connection has as long to leave. */
#define TW_MQTT5_ANSWER_LIMIT TW_SECONDS(10)
/* Answers have a topic of their own: that of the messages with this behind it. */
#define TW_MQTT5_ANSWER_SUFFIX "/echo"
#define TW_MQTT5_IMPLEMENTATION_SPECIFIC 0x83

enum tw_mqtt5_state { CLOSED, CONNECTING, SUBSCRIBING, READY, FINISHED };

/* A publisher that waits for answers (pace=answer), and a device that gives them. */
bool tw_mqtt5_asks(const struct tw_mqtt5 *m);
bool tw_mqtt5_answers(const struct tw_mqtt5 *m);

void tw_mqtt5_end(struct tw_mqtt5 *m, enum tw_event_type type, const char *reason);
/* The server broke the protocol, or asks for what this client has not: it is sent a DISCONNECT that
 * says why (section 4.13.1). `reason`: a word of the log; NULL: the code's own name. */
void tw_mqtt5_refuse(struct tw_mqtt5 *m, tw_time now, uint8_t code, const char *reason);

/* Makes what was written final, and restarts the keep-alive timer if it fits [MQTT-3.1.2-20]. */
bool tw_mqtt5_commit(struct tw_mqtt5 *m, tw_time now, const struct tw_writer *w);
/* A packet was sent, if `done`. */
bool tw_mqtt5_committed(struct tw_mqtt5 *m, tw_time now, bool done);
tw_time tw_mqtt5_ping_interval(const struct tw_mqtt5 *m);
/* Sends acknowledgements and PINGREQ that are due, as far as there is room. */
void tw_mqtt5_send_due(struct tw_mqtt5 *m, tw_time now);
void tw_mqtt5_send_ack(struct tw_mqtt5 *m, tw_time now, enum tw_mqtt_type type, uint16_t id,
                       uint8_t code);
/* Sends again what the last connection left open, as far as there is room. */
void tw_mqtt5_resend(struct tw_mqtt5 *m, tw_time now);
/* The messages in flight, when the server has no session: what it may have owned is unknown, what
 * it cannot have is sent as new. */
void tw_mqtt5_start_session(struct tw_mqtt5 *m);
/* When it has: they are sent again. */
void tw_mqtt5_resume_session(struct tw_mqtt5 *m);
/* When it will not: they have failed. */
void tw_mqtt5_end_session(struct tw_mqtt5 *m);
/* PUBACK, PUBREC, PUBREL or PUBCOMP arrived. */
void tw_mqtt5_on_ack(struct tw_mqtt5 *m, tw_time now, const struct tw_mqtt5_item *item);
/* The application's next message (engine.h). */
enum tw_publish tw_mqtt5_publish(struct tw_mqtt5 *m, tw_time now, const struct tw_message *message);

#endif
