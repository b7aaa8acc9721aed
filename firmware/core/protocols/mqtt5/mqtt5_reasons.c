#include "mqtt5_reasons.h"

#include <stddef.h>

#include "mqtt5_parser.h"

#define CONNACK (1u << TW_MQTT_CONNACK)
#define PUBLISHED (1u << TW_MQTT_PUBACK | 1u << TW_MQTT_PUBREC)
#define RELEASED (1u << TW_MQTT_PUBREL | 1u << TW_MQTT_PUBCOMP)
#define SUBACK (1u << TW_MQTT_SUBACK)
#define UNSUBACK (1u << TW_MQTT_UNSUBACK)
#define DISCONNECT (1u << TW_MQTT_DISCONNECT)
#define AUTH (1u << TW_MQTT5_AUTH)
#define SUBSCRIBED (SUBACK | UNSUBACK)
#define REQUESTED (PUBLISHED | SUBSCRIBED)

/* Sections 3.2.2.2, 3.4.2.1, 3.5.2.1, 3.6.2.1, 3.7.2.1, 3.9.3, 3.11.3, 3.14.2.1 and 3.15.2.1. */
static const struct {
    uint8_t code;
    uint16_t packets;
    const char *name;
} reasons[] = {
    {0x00, CONNACK | REQUESTED | RELEASED | AUTH, "success"},
    {0x00, DISCONNECT, "normal_disconnection"},
    {0x01, SUBACK, "granted_qos_1"},
    {0x02, SUBACK, "granted_qos_2"},
    {0x10, PUBLISHED, "no_matching_subscribers"},
    {0x11, UNSUBACK, "no_subscription_existed"},
    {0x18, AUTH, "continue_authentication"},
    {0x19, AUTH, "re_authenticate"},
    {0x80, CONNACK | REQUESTED | DISCONNECT, "unspecified_error"},
    {0x81, CONNACK | DISCONNECT, "malformed_packet"},
    {0x82, CONNACK | DISCONNECT, "protocol_error"},
    {0x83, CONNACK | REQUESTED | DISCONNECT, "implementation_specific_error"},
    {0x84, CONNACK, "unsupported_protocol_version"},
    {0x85, CONNACK, "client_identifier_not_valid"},
    {0x86, CONNACK, "bad_user_name_or_password"},
    {0x87, CONNACK | REQUESTED | DISCONNECT, "not_authorized"},
    {0x88, CONNACK, "server_unavailable"},
    {0x89, CONNACK | DISCONNECT, "server_busy"},
    {0x8A, CONNACK, "banned"},
    {0x8B, DISCONNECT, "server_shutting_down"},
    {0x8C, CONNACK, "bad_authentication_method"},
    {0x8D, DISCONNECT, "keep_alive_timeout"},
    {0x8E, DISCONNECT, "session_taken_over"},
    {0x8F, SUBSCRIBED | DISCONNECT, "topic_filter_invalid"},
    {0x90, CONNACK | PUBLISHED | DISCONNECT, "topic_name_invalid"},
    {0x91, PUBLISHED | SUBSCRIBED, "packet_identifier_in_use"},
    {0x92, RELEASED, "packet_identifier_not_found"},
    {0x93, DISCONNECT, "receive_maximum_exceeded"},
    {0x94, DISCONNECT, "topic_alias_invalid"},
    {0x95, CONNACK | DISCONNECT, "packet_too_large"},
    {0x96, DISCONNECT, "message_rate_too_high"},
    {0x97, CONNACK | PUBLISHED | SUBACK | DISCONNECT, "quota_exceeded"},
    {0x98, DISCONNECT, "administrative_action"},
    {0x99, CONNACK | PUBLISHED | DISCONNECT, "payload_format_invalid"},
    {0x9A, CONNACK | DISCONNECT, "retain_not_supported"},
    {0x9B, CONNACK | DISCONNECT, "qos_not_supported"},
    {0x9C, CONNACK | DISCONNECT, "use_another_server"},
    {0x9D, CONNACK | DISCONNECT, "server_moved"},
    {0x9E, SUBACK | DISCONNECT, "shared_subscriptions_not_supported"},
    {0x9F, CONNACK | DISCONNECT, "connection_rate_exceeded"},
    {0xA0, DISCONNECT, "maximum_connect_time"},
    {0xA1, SUBACK | DISCONNECT, "subscription_identifiers_not_supported"},
    {0xA2, SUBACK | DISCONNECT, "wildcard_subscriptions_not_supported"},
};

const char *tw_mqtt5_reason(uint8_t packet, uint8_t code) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].code == code && reasons[i].packets >> packet & 1)
            return reasons[i].name;
    return NULL;
}
