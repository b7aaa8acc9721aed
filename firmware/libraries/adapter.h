/*
 * A protocol's library for Arduino, as the application sees it. Each file *.cpp beside this one
 * adapts one library; platformio.ini of the board esp8266 pins its version.
 *
 * The libraries do their own input and output, and wait where they like: publish and connect return
 * when they are done. Whatever a library does not do, its adapter does not do for it.
 */
#ifndef TW_LIBRARIES_ADAPTER_H
#define TW_LIBRARIES_ADAPTER_H

#include "core/config.h"
#include "core/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tw_library_publish {
    TW_LIBRARY_SENT,    /* tw_library_acked may follow, where messages are confirmed */
    TW_LIBRARY_ACKED,   /* the library has waited for the peer's acknowledgement */
    TW_LIBRARY_UNHEARD, /* it has waited in vain */
    TW_LIBRARY_REFUSED  /* it did not send */
};

struct tw_library_adapter {
    const char *name;     /* as its authors write it, with its release: "PubSubClient v2.7" */
    size_t payload_bytes; /* the longest payload that it sends */
    bool receives;        /* it can subscribe: role=echo, pace=answer */
    /* NULL, or the key whose value the library cannot serve. What no library here does is refused
     * before (engine.c). */
    const char *(*refuses)(const struct tw_config *config);
    /* True when each message is acknowledged by the peer, and the library reports it. */
    bool (*confirms)(const struct tw_config *config);
    /* Opens the transport and the session, and subscribes where the role asks for it. */
    bool (*connect)(const struct tw_config *config);
    bool (*connected)(void);
    /* Bytes wait that the library has not read. */
    bool (*available)(void);
    /* Its own loop: reads what came, keeps the session alive. */
    void (*poll)(void);
    /* `tag` is the message's: not 0, and no other one's that is unconfirmed. */
    enum tw_library_publish (*publish)(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag);
    /* Ends the session and the transport; harmless without one. */
    void (*disconnect)(void);
    tw_time (*now_us)(void); /* the board's clock */
};

/* The one that is linked. */
extern const struct tw_library_adapter tw_adapter;

/* For the adapter, from within poll and publish: a message came; a message was acknowledged. */
void tw_library_received(const uint8_t *data, size_t size);
void tw_library_acked(uint16_t tag);

/* The stringified value of a macro: TW_TEXT(TW_RELEASE). */
#define TW_TEXT(macro) TW_TEXT_OF(macro)
#define TW_TEXT_OF(tokens) #tokens

#ifdef __cplusplus
}
#endif

#endif
