/*
 * The part of FreeRTOS's API that the libraries in firmware/libraries/rtos and lwIP's sockets use,
 * with the names and types of FreeRTOS and the settings of ESP8266_RTOS_SDK: ticks of 10 ms,
 * priorities 0 to 14, stacks in bytes.
 */
#ifndef FREERTOS_FREERTOS_H
#define FREERTOS_FREERTOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdkconfig.h"

typedef int32_t BaseType_t;
typedef uint32_t UBaseType_t;
typedef uint32_t TickType_t;

#define pdFALSE 0
#define pdTRUE 1
#define pdPASS pdTRUE
#define pdFAIL pdFALSE
#define errQUEUE_EMPTY 0
#define errQUEUE_FULL 0
#define errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY (-1)

#define configTICK_RATE_HZ CONFIG_FREERTOS_HZ
#define configMAX_PRIORITIES 15u

#define portMAX_DELAY UINT32_MAX
#define portTICK_PERIOD_MS (1000u / configTICK_RATE_HZ)
#define portTICK_RATE_MS portTICK_PERIOD_MS
#define pdMS_TO_TICKS(ms) ((TickType_t)((uint64_t)(ms) * configTICK_RATE_HZ / 1000u))

#endif
