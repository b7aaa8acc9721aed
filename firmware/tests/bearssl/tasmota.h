/*
 * BearSSL as Tasmota builds it: keys of RSA up to 2048 bits, curves up to 256, and the shorter of
 * two multiplications in P-256. The library's own header has the sizes as constants.
 */
#ifndef TASMOTA_H
#define TASMOTA_H

#define BR_SLOW_MUL15 1
#define BR_USE_UNIX_TIME 0
#define BR_USE_URANDOM 0
#include "inner.h"
#undef BR_MAX_RSA_SIZE
#define BR_MAX_RSA_SIZE 2048
#undef BR_MAX_EC_SIZE
#define BR_MAX_EC_SIZE 256

#endif
