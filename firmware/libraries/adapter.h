/*
 * The interface through which the application uses an Arduino library. Each file *.cpp in this
 * folder adapts one library; platformio.ini of the board esp8266 pins its version.
 *
 * The libraries do their own I/O and may block: publish and connect return when they are done. An
 * adapter adds no function that its library lacks.
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
    TW_LIBRARY_ACKED,   /* the library has waited for and received the peer's acknowledgement */
    TW_LIBRARY_UNHEARD, /* it has waited, and no acknowledgement came */
    TW_LIBRARY_REFUSED  /* it did not send */
};

struct tw_library_adapter {
    const char *name;     /* name and release, as its authors write them: "PubSubClient v2.7" */
    size_t payload_bytes; /* the longest payload that it can send */
    bool receives;        /* it can subscribe: role=echo, pace=answer */
    /* NULL, or the key whose value the library does not support. engine.c refuses what no library
     * here supports. */
    const char *(*refuses)(const struct tw_config *config);
    /* True when each message is acknowledged by the peer, and the library reports it. */
    bool (*confirms)(const struct tw_config *config);
    /* Opens the transport and the session, and subscribes where the role asks for it. */
    bool (*connect)(const struct tw_config *config);
    bool (*connected)(void);
    /* True when received bytes are waiting that the library has not read. */
    bool (*available)(void);
    /* The library's own loop: reads received data and keeps the session alive. */
    void (*poll)(void);
    /* `tag` identifies the message: not 0, and unique among the unconfirmed messages. */
    enum tw_library_publish (*publish)(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag);
    /* Ends the session and the transport; does nothing if there is none. */
    void (*disconnect)(void);
    tw_time (*now_us)(void); /* the board's clock */
};

/* The adapter that is linked into this build. */
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
