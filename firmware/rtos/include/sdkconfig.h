/*
 * The settings of ESP8266_RTOS_SDK that the libraries read: the SDK's defaults, with esp-mqtt as
 * the MQTT client, and without its transports over TLS and WebSocket.
 */
#ifndef SDKCONFIG_H
#define SDKCONFIG_H

#define CONFIG_FREERTOS_HZ 100
#define CONFIG_MQTT_USING_ESP 1
#define CONFIG_MQTT_PROTOCOL_311 1

#endif
