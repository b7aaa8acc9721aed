// The release of the ESP8266's Arduino core whose behaviour the build follows: 20401 for 2.4.1,
// 30102 for 3.1.2. docs/try-arduino.md lists where they differ.
#pragma once

#ifndef THINWIRE_ARDUINO_CORE
#define THINWIRE_ARDUINO_CORE 30102
#endif

#if THINWIRE_ARDUINO_CORE == 20401
#define ARDUINO_ESP8266_RELEASE "2_4_1"
#define ARDUINO_ESP8266_RELEASE_2_4_1
#elif THINWIRE_ARDUINO_CORE == 30102
#define ARDUINO_ESP8266_RELEASE "3.1.2"
#define ARDUINO_ESP8266_RELEASE_3_1_2
#define ARDUINO_ESP8266_MAJOR 3
#define ARDUINO_ESP8266_MINOR 1
#define ARDUINO_ESP8266_REVISION 2
#else
#error "THINWIRE_ARDUINO_CORE is 20401 or 30102"
#endif

#define THINWIRE_ARDUINO_CORE_3 (THINWIRE_ARDUINO_CORE >= 30000)
