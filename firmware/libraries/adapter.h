/*
 * The interface through which the application uses a library of other authors. Each file *.cpp in
 * this folder adapts a library for Arduino, each *.c in lwip one over lwIP that calls back, each
 * *.c in rtos one for ESP8266_RTOS_SDK, which calls back from a task of its own. sources.yaml names
 * their releases. An adapter adds no function that its library lacks.
 *
 * Libraries for Arduino do their own I/O and may block: publish and connect return when they are
 * done. A library that calls back never blocks. Its adapter notes what the callbacks say, makes
 * `available` true, and reports it when the application asks.
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
    TW_LIBRARY_REFUSED, /* it did not send */
    TW_LIBRARY_FULL     /* it has no room now: the message is offered again */
};

/* How often the sketch has waited since the board's start (yield, delay, after loop()), for how
 * long, and what of that the board needed for frames that had come in. */
struct tw_library_waits {
    uint32_t count, us, frames_us;
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
    /* Opens the transport and the session, and subscribes where the role asks for it. A library
     * that calls back has only begun, and says by `available` that it is connected, or has failed.
     */
    bool (*connect)(const struct tw_config *config);
    bool (*connected)(void);
    /* True when received bytes are waiting that the library has not read, or it has called back. */
    bool (*available)(void);
    /* The library's own loop: reads received data and keeps the session alive. After it nothing is
     * available. */
    void (*poll)(void);
    /* `tag` identifies the message: not 0, and unique among the unconfirmed messages. */
    enum tw_library_publish (*publish)(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag);
    /* Ends the session and the transport; does nothing if there is none. */
    void (*disconnect)(void);
    tw_time (*now_us)(void); /* the board's clock */
    bool calls_back;         /* it wants no polling, and gives messages up by itself */
    struct tw_library_waits (*waits)(void); /* NULL where the board does not know */
};

/* The adapter that is linked into this build. */
extern const struct tw_library_adapter tw_adapter;

/* For the adapter: a message came (from within poll and publish only); a message was acknowledged,
 * or given up by the library. */
void tw_library_received(const uint8_t *data, size_t size);
void tw_library_acked(uint16_t tag);
void tw_library_lost(uint16_t tag);

/* The stringified value of a macro: TW_TEXT(TW_RELEASE). */
#define TW_TEXT(macro) TW_TEXT_OF(macro)
#define TW_TEXT_OF(tokens) #tokens

#ifdef __cplusplus
}
#endif

#endif
