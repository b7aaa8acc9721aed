/*
 * The board with a library for ESP8266_RTOS_SDK in the engines' place: boards/lx106/src/main.c
 * starts it. The application is the first task, with the priority of the SDK's, which calls
 * app_main; lwIP and the library have tasks of their own.
 */
#include "application.h"
#include "clock.h"
#include "core/app/app.h"
#include "freertos/task.h"
#include "lwip/netif.h"
#include "lwip/tcpip.h"
#include "net/net.h"
#include "system.h"
#include "tasks.h"

/* Of an IPv4 header and a TCP header. */
#define HEADER_BYTES 40

static TaskHandle_t application;

void application_wake(void) {
    xTaskNotifyGive(application);
}

void start_lwip(const struct tw_config *config);
void start_lwip(const struct tw_config *config) {
    rtos_system_start(config);
    tasks_start(configMAX_PRIORITIES - 1u);
    tcpip_init(NULL, NULL);
}

/* A library may give a message up without calling back. */
#define LONGEST_REST TW_SECONDS(1)

void run(struct tw_app *app) __attribute__((noreturn));
void run(struct tw_app *app) {
    application = xTaskGetCurrentTaskHandle();
    /* lwIP derives the MSS that it announces and obeys from this. */
    netif_default->mtu = (u16_t)(tw_app_config(app)->mss + HEADER_BYTES);
    for (;;) {
        tw_time next = tw_earlier(tw_net_poll(clock_us()), tw_secure_poll(app));
        tasks_take(pdTRUE, tw_earlier(next, clock_us() + LONGEST_REST));
    }
}
