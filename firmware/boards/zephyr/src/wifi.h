/*
 * The Wi-Fi station, on boards that have one.
 */
#ifndef WIFI_H
#define WIFI_H

#include <stdbool.h>

struct net_if;

/* Asks to join; the interface comes up when that worked. `sleep` lets the radio sleep between
 * beacons. */
void wifi_join(struct net_if *interface, const char *ssid, const char *password, bool sleep);

#endif
