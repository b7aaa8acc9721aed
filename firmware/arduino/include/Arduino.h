// The Arduino API of the ESP8266, over lwIP's raw API (docs/try-arduino.md). What a class or a
// function does is what the release in core_version.h does; the implementation is the project's
// own.
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "core_esp8266_features.h"
#include "pgmspace.h"
#include "stdlib_noniso.h"

#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x00
#define OUTPUT 0x01
#define INPUT_PULLUP 0x02
#define LED_BUILTIN 2

#define PI 3.1415926535897932384626433832795
#define HALF_PI 1.5707963267948966192313216916398
#define TWO_PI 6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105

#define LSBFIRST 0
#define MSBFIRST 1

#define constrain(value, low, high)                                                                \
    ((value) < (low) ? (low) : ((value) > (high) ? (high) : (value)))
#define radians(degrees) ((degrees) * DEG_TO_RAD)
#define degrees(radians) ((radians) * RAD_TO_DEG)
#define sq(value) ((value) * (value))

#define lowByte(value) ((uint8_t)((value) & 0xff))
#define highByte(value) ((uint8_t)((value) >> 8))
#define bit(number) (1UL << (number))
#define _BV(number) (1UL << (number))
#define bitRead(value, number) (((value) >> (number)) & 0x01)
#define bitSet(value, number) ((value) |= (1UL << (number)))
#define bitClear(value, number) ((value) &= ~(1UL << (number)))
#define bitWrite(value, number, to) ((to) ? bitSet(value, number) : bitClear(value, number))

// Where the chip has these: the instruction RAM, and flash.
#define ICACHE_RAM_ATTR
#define IRAM_ATTR
#define ICACHE_FLASH_ATTR

typedef bool boolean;
typedef uint8_t byte;
typedef uint16_t word;

#ifdef __cplusplus
extern "C" {
#endif

void setup(void);
void loop(void);

void yield(void);
// Yields if the sketch has run for more than `interval_us` microseconds since it last waited.
void optimistic_yield(uint32_t interval_us);

// Pins lead nowhere: an output keeps its level, an input reads its pull-up, or low.
void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
int digitalRead(uint8_t pin);

// The chip's register of random numbers; here they follow from the seed of the trial.
uint32_t thinwire_random(void);
#define RANDOM_REG32 thinwire_random()

#ifdef __cplusplus
}

#include <algorithm>
#include <cmath>
#include <cstdlib>

using std::abs;
using std::isinf;
using std::isnan;
using std::max;
using std::min;
using std::round;

#define _min(a, b) (std::min)(a, b)
#define _max(a, b) (std::max)(a, b)

long random(long below);
long random(long from, long below);
void randomSeed(unsigned long seed);
long secureRandom(long below);
long secureRandom(long from, long below);
long map(long value, long from_low, long from_high, long to_low, long to_high);

inline uint16_t makeWord(uint16_t value) {
    return value;
}
inline uint16_t makeWord(uint8_t high, uint8_t low) {
    return static_cast<uint16_t>(high << 8 | low);
}

#include "Esp.h"
#include "HardwareSerial.h"
#include "IPAddress.h"
#include "WCharacter.h"
#include "WString.h"
#endif
