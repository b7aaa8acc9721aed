#include "wifi.h"

#include <string.h>
#include <zephyr/net/net_if.h>
#include <zephyr/net/net_mgmt.h>
#include <zephyr/net/wifi_mgmt.h>

void wifi_join(struct net_if *interface, const char *ssid, const char *password, bool sleep) {
    struct wifi_connect_req_params join = {
        .ssid = (const uint8_t *)ssid,
        .ssid_length = (uint8_t)strlen(ssid),
        .psk = (const uint8_t *)password,
        .psk_length = (uint8_t)strlen(password),
        .channel = WIFI_CHANNEL_ANY,
        .security = *password ? WIFI_SECURITY_TYPE_PSK : WIFI_SECURITY_TYPE_NONE,
    };
    struct wifi_ps_params power = {
        .enabled = sleep ? WIFI_PS_ENABLED : WIFI_PS_DISABLED,
        .type = WIFI_PS_PARAM_STATE,
    };
    net_mgmt(NET_REQUEST_WIFI_CONNECT, interface, &join, sizeof join);
    net_mgmt(NET_REQUEST_WIFI_PS, interface, &power, sizeof power);
}
