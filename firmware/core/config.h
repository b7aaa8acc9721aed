/*
 * The configuration of a run: `key=value` words separated by blanks, as a board receives them from
 * its command line or serial port. Keys, ranges, meanings and defaults are listed once, in
 * config_keys.h.
 */
#ifndef TW_CONFIG_H
#define TW_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tw_role {
    TW_ROLE_PUBLISH,
    TW_ROLE_SUBSCRIBE,
    TW_ROLE_ECHO, /* subscribes, and answers each message with one of the same size, or an empty one
                     (the passive mode of UFRN 2018) */
    TW_ROLE_SERVE
};

/* What makes the next message of a publisher due. */
enum tw_pace {
    TW_PACE_INTERVAL,
    TW_PACE_ANSWER /* the peer's answer to the last one (the active mode of UFRN 2018) */
};

/* MQTT-SN topic names (specification 1.2, section 3): registered, predefined or two-character. */
enum tw_topic_type { TW_TOPIC_NORMAL, TW_TOPIC_PREDEFINED, TW_TOPIC_SHORT };

/* How a connection is secured (firmware/secure), and by what the device knows its peer. */
enum tw_security {
    TW_SECURITY_NONE,
    TW_SECURITY_CHAIN,  /* a certificate that leads to a root which the device has */
    TW_SECURITY_PINNED, /* a public key that the device has */
    TW_SECURITY_PSK     /* a key that both have */
};

/* The versions of TLS that a build speaks, from the least to the most: 12 for 1.2, 13 for 1.3. */
#ifndef TW_TLS_LEAST
#define TW_TLS_LEAST 12
#endif
#ifndef TW_TLS_MOST
#define TW_TLS_MOST 12
#endif

/* Where a secured connection takes what nobody may guess. */
enum tw_entropy {
    TW_ENTROPY_SEED, /* the run's seed: it repeats, and protects nothing */
    TW_ENTROPY_BOARD
};

/* Behaviour that published studies blame on a library. Off by default. */
enum tw_quirk {
    /* KU Leuven 2019: only the first MQTT message of a TCP segment is processed. */
    TW_QUIRK_FIRST_MESSAGE_PER_SEGMENT = 1u << 0,
    /* UFRN 2018: the engine reads the stream one byte per call, as PubSubClient does. */
    TW_QUIRK_BYTE_AT_A_TIME_READ = 1u << 1,
    /* KU Leuven 2019, section 5: the receive window opens on a tick of 40 ms only. */
    TW_QUIRK_WINDOW_EACH_40_MS = 1u << 2
};

/* Kinds of values; config_keys.h lists the keys. */
enum tw_key_kind {
    TW_TEXT,
    TW_NUMBER,
    TW_SIGNED,
    TW_BOOLEAN,
    TW_ADDRESS,
    TW_MAC,
    TW_ROLE,
    TW_PACE,
    TW_TOPIC_TYPE,
    TW_SECURITY,
    TW_ENTROPY,
    TW_QUIRKS,
    TW_SIZES
};

/* The words of those kinds that have words, in the order of their enums; the last one is NULL. */
extern const char *const tw_config_roles[],
    *const tw_config_paces[], *const tw_config_topic_types[], *const tw_config_securities[],
                                                                  *const tw_config_entropies[],
                                                                      *const tw_config_quirks[];

/* Sizes of payload that may follow the first. */
#define TW_STEPS_MAX 12
/* Times of processing that may follow the first. */
#define TW_PROCESSING_MAX 31

struct tw_config {
    char nonce[33];
    char id[24];
    char proto[12];
    char topic[64];
    char user[24];
    char password[24];
    char queue[32];
    uint8_t mac[6];
    uint32_t ip, mask, gw, peer; /* IPv4, most significant byte first */
    uint32_t seed;
    uint32_t payload_bytes, interval_ms, start_ms, messages, duration_ms, stat_ms;
    uint32_t drain_ms; /* at the end of a run: how long to wait for outstanding acknowledgements */
    uint32_t retry_ms; /* MQTT-SN's T_retry */
    uint16_t payload_steps[TW_STEPS_MAX]; /* up to the first 0 */
    uint16_t port;                        /* 0: the protocol's own */
    uint16_t keepalive_s, mss, sleep_s, topic_id;
    uint16_t block_bytes, fragment_bytes;
    uint16_t processing_ms; /* of the application, for each message or request */
    uint16_t processing_steps[TW_PROCESSING_MAX]; /* further ones, up to the first 0 */
    uint16_t clock_ppm;                           /* how much the board's clock is slow */
    uint32_t connection_messages; /* of a publisher on one connection; 0: no limit */
    uint32_t publish_ms;          /* a subscriber's own messages; 0: none */
    uint16_t piece_ms;            /* serving HTTP: from one piece of an answer to the next */
    uint16_t separate_ms;         /* serving: delay of a separate CoAP response; 0: piggybacked */
    uint8_t sockets;              /* serving: TCP connections at once; 0: TW_LINKS */
    uint8_t inflight;             /* unacknowledged messages at once; 0: the protocol's own rule */
    uint8_t quirks;               /* set of enum tw_quirk */
    int8_t qos;
    enum tw_role role;
    enum tw_pace pace;
    enum tw_topic_type topic_type;
    enum tw_security security;
    enum tw_entropy entropy;
    char server_name[64];
    uint32_t utc_s;        /* UNIX time when the board started */
    uint16_t record_bytes; /* RFC 6066, section 4; 0: not asked for */
    bool own_certificate, resume, cid, key_log;
    bool confirmable, nagle, modem_sleep, clean, will, keep_alive, chunked, search, observe, pieces,
        empty_answers;
#if TW_TLS_MOST > 12
    uint8_t tls_version;
    bool psk_dhe;
#endif
#ifdef TW_DEEP_SLEEP
    bool deep_sleep;
#endif
#ifdef TW_DHCP
    bool dhcp, lease_kept;
    uint32_t dns; /* IPv4, most significant byte first */
    char peer_name[64], time_server[64];
#endif
#ifdef TW_MQTT5
    bool topic_alias, assigned_id;
    uint16_t receive_max;
    uint32_t session_expiry_s, message_expiry_s, packet_max;
#endif
#ifdef TW_OSCORE
    char sender_id[8];
    bool rederive, kid_context;
#endif
};

/* The key that asks for a payload of more than `most` bytes, or NULL. */
const char *tw_config_too_large(const struct tw_config *config, size_t most);

/* Fills `config` with the defaults. */
void tw_config_defaults(struct tw_config *config);

/* Reads `text` (need not end in a blank; ends at NUL) over the values that `config` holds. Returns
 * true, or false with the offending key in `key` (at most key_size bytes with the NUL; the word
 * itself when it is no key=value). */
bool tw_config_parse(struct tw_config *config, const char *text, char *key, size_t key_size);

#endif
