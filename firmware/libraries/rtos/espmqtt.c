/*
 * Espressif's esp-mqtt of ESP8266_RTOS_SDK, with all three levels of QoS. It has a task, from which
 * it calls back. Connecting again is the application's, as with the other libraries here; the
 * library's own after 10 s is switched off. It cannot switch off Nagle's algorithm. While it
 * connects it cannot be stopped, so an attempt that the application gave up goes on, and the next
 * one waits for its outcome.
 */
#include <stdio.h>
#include <string.h>

#include "application.h"
#include "clock.h"
#include "core/util/inflight.h"
#include "freertos/task.h"
#include "libraries/adapter.h"
#include "mqtt_client.h"
#include "tasks.h"

#define TOPIC_BYTES (sizeof(((struct tw_config *)0)->topic) + sizeof "/out")
/* In front of a payload: type and length, the longest topic with its length, and the identifier. */
#define HEADER_BYTES (3u + 2u + TOPIC_BYTES + 2u)

struct sent {
    int id; /* 0: free */
    uint16_t tag;
    uint64_t forgotten_us; /* when the library deletes it from its outbox, without a word */
};

static enum { ABSENT, TRYING, UP, ENDED } state;
static esp_mqtt_client_handle_t client;
static UBaseType_t tasks_without; /* how many tasks there are beside the library's */
static bool called_back, publishing, closing;
static struct sent unacked[TW_INFLIGHT_MAX];
static int early; /* acknowledged before its publish returned */
static char subscribed[TOPIC_BYTES], published[TOPIC_BYTES];
static int subscribed_qos;
static uint64_t processing_us; /* the application's time for a message that came */
/* What came, until the application has taken it. */
static const esp_mqtt_event_t *volatile arrived;

static struct sent *find(int id) {
    for (size_t i = 0; i < TW_INFLIGHT_MAX; i++)
        if (unacked[i].id == id)
            return &unacked[i];
    return NULL;
}

static void on_published(int id) {
    struct sent *message = id ? find(id) : NULL;
    if (message) {
        tw_library_acked(message->tag);
        message->id = 0;
    } else if (publishing)
        early = id;
}

static struct sent *forgotten(void) {
    for (size_t i = 0; i < TW_INFLIGHT_MAX; i++)
        if (unacked[i].id && unacked[i].forgotten_us <= clock_us())
            return &unacked[i];
    return NULL;
}

/* In the library's task, which takes nothing in while the application works on the message, as in a
 * program that prints it. */
static void on_data(const esp_mqtt_event_t *event) {
    uint64_t until = clock_us() + processing_us;
    /* Longer than the buffer: no message of the workload is. If a read has more than one message,
     * release 3.2 reports the first one, with a negative total_data_len, and drops the rest. */
    if (event->current_data_offset || event->data_len < event->total_data_len)
        return;
    arrived = event;
    while (arrived && !closing) {
        application_wake();
        if (arrived)
            vTaskDelay(1);
    }
    if (processing_us && clock_us() < until)
        tasks_wait(NULL, until);
}

/* In the library's task. */
static esp_err_t on_event(esp_mqtt_event_handle_t event) {
    switch (event->event_id) {
    case MQTT_EVENT_CONNECTED:
        if (subscribed[0])
            esp_mqtt_client_subscribe(client, subscribed, subscribed_qos);
        state = UP;
        break;
    case MQTT_EVENT_DISCONNECTED:
        state = ENDED;
        break;
    case MQTT_EVENT_PUBLISHED:
        on_published(event->msg_id);
        break;
    case MQTT_EVENT_DATA:
        on_data(event);
        return ESP_OK;
    default:
        return ESP_OK;
    }
    called_back = true;
    application_wake();
    return ESP_OK;
}

static const char *refuses(const struct tw_config *config) {
    return !config->nagle                ? "nagle"
           : !config->keepalive_s        ? "keepalive_s" /* it takes 0 for its own 120 s */
           : config->processing_steps[0] ? "processing_steps"
                                         : NULL;
}

static bool confirms(const struct tw_config *config) {
    return config->qos > 0;
}

/* Stopping waits for the task, which reads for up to a second. Only then its memory can be freed.
 */
static void disconnect(void) {
    if (state == ABSENT || state == TRYING)
        return;
    closing = true;
    while (uxTaskGetNumberOfTasks() > tasks_without) {
        esp_mqtt_client_stop(client);
        vTaskDelay(1);
    }
    esp_mqtt_client_destroy(client);
    client = NULL;
    arrived = NULL;
    state = ABSENT;
}

/* A device that subscribes may publish, too, to a topic of its own. */
static void choose_topics(const struct tw_config *config) {
    bool reads = config->role == TW_ROLE_SUBSCRIBE;
    snprintf(subscribed, sizeof subscribed, "%s", reads ? config->topic : "");
    snprintf(published, sizeof published, "%s%s", config->topic, reads ? "/out" : "");
    subscribed_qos = (int)config->qos;
    processing_us = TW_MS(config->processing_ms);
}

static bool connect(const struct tw_config *config) {
    if (state == TRYING)
        return true;
    disconnect();
    choose_topics(config);
    memset(unacked, 0, sizeof unacked);
    char host[16];
    snprintf(host, sizeof host, "%u.%u.%u.%u", (unsigned)(config->peer >> 24),
             (unsigned)(config->peer >> 16 & 255), (unsigned)(config->peer >> 8 & 255),
             (unsigned)(config->peer & 255));
    esp_mqtt_client_config_t settings = {
        .event_handle = on_event,
        .host = host,
        .port = config->port,
        .client_id = config->id,
        .keepalive = (int)config->keepalive_s,
        .transport = MQTT_TRANSPORT_OVER_TCP,
        .disable_auto_reconnect = true,
    };
    called_back = closing = false;
    client = esp_mqtt_client_init(&settings);
    if (!client)
        return false;
    tasks_without = uxTaskGetNumberOfTasks();
    state = TRYING;
    if (esp_mqtt_client_start(client) == ESP_OK)
        return true;
    state = ENDED;
    return false;
}

static bool connected(void) {
    return state == UP;
}

static bool available(void) {
    return called_back || arrived || (state == UP && forgotten());
}

static void poll(void) {
    struct sent *message;
    const esp_mqtt_event_t *event = arrived;
    called_back = false;
    if (event)
        tw_library_received((const uint8_t *)event->data, (size_t)event->data_len);
    arrived = NULL;
    while ((message = forgotten())) {
        tw_library_lost(message->tag);
        message->id = 0;
    }
}

static enum tw_library_publish publish(const struct tw_config *config, const uint8_t *data,
                                       size_t size, uint16_t tag) {
    struct sent *place = config->qos ? find(0) : NULL;
    if (config->qos && !place)
        return TW_LIBRARY_FULL;
    early = 0;
    publishing = true;
    int id = esp_mqtt_client_publish(client, published, (const char *)data, (int)size,
                                     (int)config->qos, 0);
    publishing = false;
    if (id < 0)
        return TW_LIBRARY_REFUSED;
    if (!config->qos)
        return TW_LIBRARY_SENT;
    if (id == early)
        return TW_LIBRARY_ACKED;
    *place = (struct sent){id, tag, clock_us() + TW_MS(OUTBOX_EXPIRED_TIMEOUT_MS)};
    return TW_LIBRARY_SENT;
}

const struct tw_library_adapter tw_adapter = {
    .name = "esp-mqtt of ESP8266_RTOS_SDK " TW_TEXT(TW_RELEASE),
    .payload_bytes = MQTT_BUFFER_SIZE_BYTE - HEADER_BYTES,
    .receives = false, /* closed loops: no message leaves its callback here */
    .refuses = refuses,
    .confirms = confirms,
    .connect = connect,
    .connected = connected,
    .available = available,
    .poll = poll,
    .publish = publish,
    .disconnect = disconnect,
    .now_us = clock_us,
    .calls_back = true,
};
