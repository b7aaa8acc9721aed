#ifndef ESP_SYSTEM_H
#define ESP_SYSTEM_H

#include <stdint.h>

#include "esp_err.h"

#define BIT0 1

typedef enum { ESP_MAC_WIFI_STA, ESP_MAC_WIFI_SOFTAP } esp_mac_type_t;

/* Follows from the trial's seed. */
uint32_t esp_random(void);
/* Six bytes, the station's for either type. */
esp_err_t esp_read_mac(uint8_t *mac, esp_mac_type_t type);
uint32_t esp_get_free_heap_size(void);

#endif
