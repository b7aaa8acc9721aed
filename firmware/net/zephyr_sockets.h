/*
 * net.h over Zephyr's sockets: one thread waits for sockets and time together.
 */
#ifndef TW_ZEPHYR_SOCKETS_H
#define TW_ZEPHYR_SOCKETS_H

#include "net.h"

/* Waits at most `wait_ms` (negative: without limit) for events on the sockets and reports them to
 * the application. */
void tw_zephyr_wait(int wait_ms);

#endif
