/* What libraries log is compiled, so that its arguments are checked, and left out. On a chip it
 * goes to the serial port and takes its time. */
#ifndef ESP_LOG_H
#define ESP_LOG_H

#include <stdio.h>

#define ESP_LOG_NOTHING(tag, ...)                                                                  \
    do {                                                                                           \
        if (0) {                                                                                   \
            printf("%s", tag);                                                                     \
            printf(__VA_ARGS__);                                                                   \
        }                                                                                          \
    } while (0)
#define ESP_LOGE(tag, ...) ESP_LOG_NOTHING(tag, __VA_ARGS__)
#define ESP_LOGW(tag, ...) ESP_LOG_NOTHING(tag, __VA_ARGS__)
#define ESP_LOGI(tag, ...) ESP_LOG_NOTHING(tag, __VA_ARGS__)
#define ESP_LOGD(tag, ...) ESP_LOG_NOTHING(tag, __VA_ARGS__)
#define ESP_LOGV(tag, ...) ESP_LOG_NOTHING(tag, __VA_ARGS__)

#endif
