// SHA-1.
#pragma once

#include "WString.h"

void sha1(const uint8_t *data, uint32_t size, uint8_t out[20]);
void sha1(const char *data, uint32_t size, uint8_t out[20]);
void sha1(const String &data, uint8_t out[20]);
// As 40 hexadecimal digits.
String sha1(const uint8_t *data, uint32_t size);
String sha1(const char *data, uint32_t size);
String sha1(const String &data);
