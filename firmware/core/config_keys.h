/*
 * The keys of the configuration, each once: kind, name (a field of struct tw_config), the least and
 * the most that is allowed, its meaning, and its default. Units are in the names.
 *
 * TEXT: least number of characters. SIGNED: from minus the first to the second.
 */
#ifndef TW_CONFIG_KEYS_H
#define TW_CONFIG_KEYS_H

/* clang-format off */
#define TW_CONFIG_KEYS(KEY)                                                                        \
    KEY(TEXT, proto, 1, 0, "the protocol", "mqtt")                                                 \
    KEY(ROLE, role, 0, 0, "what the device does; echo: MQTT, MQTT-SN, WebSocket; serve: CoAP, HTTP, TCP, UDP", TW_ROLE_PUBLISH) \
    KEY(ADDRESS, peer, 0, 0, "the far end", 0)                                                     \
    KEY(NUMBER, port, 1, 65535, "the far end's port, or the own one when serving; 0: the protocol's", 0) \
    KEY(TEXT, id, 1, 0, "device id", "tw")                                                         \
    KEY(TEXT, topic, 1, 0, "topic, or path without its first slash", "tw/data")                    \
    KEY(SIGNED, qos, 1, 2, "MQTT; MQTT-SN, which alone knows -1", 0)                               \
    KEY(BOOLEAN, confirmable, 0, 1, "CoAP: CON; AMQP: confirms and acknowledgements; WebSocket: a ping after each message; TCP, UDP: ask for an ACK", true) \
    KEY(NUMBER, payload_bytes, 2, TW_PAYLOAD_MAX, "payload of a message; from 1441: over TCP, or in CoAP's blocks", 30) \
    KEY(SIZES, payload_steps, 2, TW_PAYLOAD_MAX, "further payloads, each for an equal share of messages", {0}) \
    KEY(NUMBER, interval_ms, 0, UINT32_MAX, "time between two messages, at least; 0: pace=answer only", 1000) \
    KEY(PACE, pace, 0, 0, "what makes the next message due; answer: MQTT, WebSocket, published on the topic, answered on TOPIC/echo", TW_PACE_INTERVAL) \
    KEY(BOOLEAN, empty_answers, 0, 1, "echo: answers carry no payload", false)                     \
    KEY(NUMBER, start_ms, 0, UINT32_MAX, "from the link being up to the first message, which also waits for the first session", 0) \
    KEY(NUMBER, messages, 0, UINT32_MAX, "messages after which the run ends; a device that receives or serves counts those; 0: no limit", 0) \
    KEY(NUMBER, connection_messages, 0, UINT32_MAX, "publisher: messages after which a connection is ended in order and the next one made; 0: it is kept", 0) \
    KEY(NUMBER, duration_ms, 0, UINT32_MAX, "time after which the run ends, if no earlier; 0: no limit", 0) \
    KEY(NUMBER, drain_ms, 0, UINT32_MAX, "at the end: how long to wait for acknowledgements", 10000) \
    KEY(NUMBER, keepalive_s, 0, 65535, "MQTT, MQTT-SN; AMQP heartbeat; WebSocket ping", 60)        \
    KEY(BOOLEAN, clean, 0, 1, "MQTT, MQTT-SN, AMQP: 0 keeps the session, in AMQP a durable queue", true) \
    KEY(BOOLEAN, will, 0, 1, "MQTT, MQTT-SN: leave a will", false)                                 \
    KEY(NUMBER, inflight, 0, 16, "unacknowledged messages at once; 0: 16, but 1 for CoAP CON (NSTART) and MQTT-SN", 0) \
    KEY(BOOLEAN, nagle, 0, 1, "Nagle's algorithm (RFC 896)", true)                                 \
    KEY(NUMBER, mss, 88, 1460, "TCP maximum segment size, bytes; Linux takes a smaller one for 88", 1460) \
    KEY(BOOLEAN, modem_sleep, 0, 1, "the radio sleeps between beacons", false)                     \
    KEY(QUIRKS, quirks, 0, 0, "MQTT: mechanisms that a study blames", 0)                           \
    KEY(BOOLEAN, observe, 0, 1, "CoAP subscriber: observe; 0: poll", true)                         \
    KEY(NUMBER, block_bytes, 0, 1024, "CoAP client: larger payloads go in blocks of this size; 0: whole", 0) \
    KEY(NUMBER, publish_ms, 0, UINT32_MAX, "MQTT subscriber: it publishes, too, each so many ms, to its topic with /out behind; 0: never", 0) \
    KEY(NUMBER, processing_ms, 0, 60000, "the application's time for each message or request; meanwhile it takes nothing in, and an answer leaves after it", 0) \
    KEY(SIZES, processing_steps, 1, 60000, "further values of processing_ms, of which each message has one at random", {0}) \
    KEY(NUMBER, sockets, 0, 255, "serving: TCP connections at once; 0: as many as there is room for", 0) \
    KEY(BOOLEAN, pieces, 0, 1, "HTTP server: 1 hands fields, blank line and body to TCP one by one", false) \
    KEY(NUMBER, piece_ms, 0, 1000, "pieces=1: time between one and the next", 0)                   \
    KEY(NUMBER, separate_ms, 0, 60000, "CoAP server: delay of a separate response; 0: piggybacked", 0) \
    KEY(TOPIC_TYPE, topic_type, 0, 0, "MQTT-SN: kind of topic name", TW_TOPIC_NORMAL)              \
    KEY(NUMBER, topic_id, 1, 65534, "MQTT-SN: the predefined topic", 1)                            \
    KEY(BOOLEAN, search, 0, 1, "MQTT-SN: look for a gateway first", false)                         \
    KEY(NUMBER, sleep_s, 0, 65535, "MQTT-SN: sleeping client's duration; 0: awake", 0)             \
    KEY(NUMBER, retry_ms, 100, 3600000, "MQTT-SN: T_retry", 10000)                                 \
    KEY(BOOLEAN, keep_alive, 0, 1, "HTTP: 0 makes a connection per request, and rtt_us then includes connecting", true) \
    KEY(BOOLEAN, chunked, 0, 1, "HTTP: chunked bodies", false)                                     \
    KEY(NUMBER, fragment_bytes, 0, TW_SEGMENT_MAX, "WebSocket: fragments of this size, from 64; 0: whole", 0) \
    KEY(TEXT, user, 0, 0, "AMQP", "guest")                                                         \
    KEY(TEXT, password, 0, 0, "AMQP", "guest")                                                     \
    KEY(TEXT, queue, 1, 0, "AMQP", "tw")                                                           \
    KEY(SECURITY, security, 0, 0, "TLS or DTLS, and how the server is known: by its certificate's chain, by its public key, by a pre-shared key; wants a port", TW_SECURITY_NONE) \
    KEY(TEXT, server_name, 1, 0, "security=chain: the name in the server's certificate", "server.thinwire.test") \
    KEY(BOOLEAN, own_certificate, 0, 1, "security=chain, pinned: the device has a certificate, too", false) \
    KEY(BOOLEAN, resume, 0, 1, "security: a later connection resumes the session of the one before, also after a restart where the board has memory that outlives one", false) \
    KEY(NUMBER, record_bytes, 0, 4096, "security: maximum fragment length to ask for (RFC 6066): 512, 1024, 2048, 4096; 0: do not ask", 0) \
    KEY(BOOLEAN, cid, 0, 1, "DTLS: ask for a connection ID (RFC 9146)", false)                     \
    KEY(NUMBER, utc_s, 0, UINT32_MAX, "security: UNIX time when the board starts; certificates are checked by it", 1577836800) \
    KEY(ENTROPY, entropy, 0, 0, "security: where random numbers come from; those of the seed repeat, and protect nothing", TW_ENTROPY_SEED) \
    KEY(BOOLEAN, key_log, 0, 1, "security: log the secrets of each session, for the analysis of captures", false) \
    KEY(TEXT, nonce, 0, 0, "mark of every log line", "")                                           \
    KEY(NUMBER, clock_ppm, 0, 10000, "how much the board's clock is slow, which all its timers go by; lx106 only", 0) \
    KEY(NUMBER, seed, 0, UINT32_MAX, "of random numbers", 1)                                       \
    KEY(NUMBER, stat_ms, 0, UINT32_MAX, "period of stat lines; 0: none", 0)                        \
    KEY(MAC, mac, 0, 0, "the interface", {0x02, 0x54, 0x57, 0, 0, 1})                              \
    KEY(ADDRESS, ip, 0, 0, "the interface", 0)                                                     \
    KEY(ADDRESS, mask, 0, 0, "the interface", 0xFFFFFF00u)                                         \
    KEY(ADDRESS, gw, 0, 0, "the interface", 0)                                                     \
    TW_CONFIG_TLS_KEYS(KEY)                                                                        \
    TW_CONFIG_SLEEP_KEYS(KEY)                                                                      \
    TW_CONFIG_DHCP_KEYS(KEY)                                                                       \
    TW_CONFIG_MQTT5_KEYS(KEY)                                                                      \
    TW_CONFIG_OSCORE_KEYS(KEY)

/* Those of a build that speaks TLS 1.3. */
#if TW_TLS_MOST > 12
#define TW_CONFIG_TLS_KEYS(KEY)                                                                    \
    KEY(NUMBER, tls_version, TW_TLS_LEAST, TW_TLS_MOST, "security over TCP: 12 is TLS 1.2, 13 is TLS 1.3, and no other is spoken; DTLS is 1.2", TW_TLS_LEAST) \
    KEY(BOOLEAN, psk_dhe, 0, 1, "TLS 1.3, security=psk or resume=1: a key exchange by ECDHE beside the key (psk_dhe_ke, RFC 8446), or the key alone (psk_ke)", true)
#else
#define TW_CONFIG_TLS_KEYS(KEY)
#endif

/* Those of a build for a board that keeps something without power for its processor. */
#ifdef TW_DEEP_SLEEP
#define TW_CONFIG_SLEEP_KEYS(KEY)                                                                  \
    KEY(BOOLEAN, deep_sleep, 0, 1, "publisher with connection_messages: the device is off between its connections and wakes by a reset", false)
#else
#define TW_CONFIG_SLEEP_KEYS(KEY)
#endif

/* Those of a build with DHCP, DNS and SNTP. */
#ifdef TW_DHCP
#define TW_CONFIG_DHCP_KEYS(KEY)                                                                   \
    KEY(BOOLEAN, dhcp, 0, 1, "the interface's addresses come by DHCP, not from ip, mask, gw and dns", false) \
    KEY(BOOLEAN, lease_kept, 0, 1, "dhcp=1: after a restart ask for the last address again by a DHCPREQUEST alone (INIT-REBOOT, RFC 2131)", false) \
    KEY(ADDRESS, dns, 0, 0, "the server that resolves names", 0)                                   \
    KEY(TEXT, peer_name, 0, 0, "the far end's name, which DNS resolves before the first connection; empty: peer is its address", "") \
    KEY(TEXT, time_server, 0, 0, "name or address of the SNTP server that is asked for the time before the first connection; empty: none is", "")
#else
#define TW_CONFIG_DHCP_KEYS(KEY)
#endif

/* Those of a build with MQTT 5. */
#ifdef TW_MQTT5
#define TW_CONFIG_MQTT5_KEYS(KEY)                                                                  \
    KEY(BOOLEAN, topic_alias, 0, 1, "MQTT 5: topic aliases in both directions", false)             \
    KEY(BOOLEAN, assigned_id, 0, 1, "MQTT 5: the server chooses the client identifier", false)     \
    KEY(NUMBER, session_expiry_s, 0, UINT32_MAX, "MQTT 5, clean=0: how long the server keeps the session; 4294967295: for ever", UINT32_MAX) \
    KEY(NUMBER, message_expiry_s, 0, UINT32_MAX, "MQTT 5: lifetime of a message from when it is made; 0: no limit", 0) \
    KEY(NUMBER, receive_max, 0, 65535, "MQTT 5: QoS 1 and 2 messages that the server sends before the first is acknowledged; 0: does not say", 0) \
    KEY(NUMBER, packet_max, 0, UINT32_MAX, "MQTT 5: largest packet that the device takes, bytes; 0: does not say", 0)
#else
#define TW_CONFIG_MQTT5_KEYS(KEY)
#endif

/* Those of a build with OSCORE. */
#ifdef TW_OSCORE
#define TW_CONFIG_OSCORE_KEYS(KEY)                                                                 \
    KEY(TEXT, sender_id, 0, 0, "OSCORE: the device's Sender ID, as characters; each device needs its own; none: the credentials' one", "") \
    KEY(BOOLEAN, rederive, 0, 1, "OSCORE: without a kept context the device derives a new one with the server (RFC 8613, appendix B.2); its random numbers are those of entropy", false) \
    KEY(BOOLEAN, kid_context, 0, 1, "OSCORE, rederive=1: each request names the ID Context of the new context, for servers that find it by that", true)
#else
#define TW_CONFIG_OSCORE_KEYS(KEY)
#endif
/* clang-format on */

#endif
