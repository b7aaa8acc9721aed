#include "Hash.h"

extern "C" {
#include "core/util/sha1.h"
}

void sha1(const uint8_t *data, uint32_t size, uint8_t out[20]) {
    tw_sha1(data, size, out);
}

void sha1(const char *data, uint32_t size, uint8_t out[20]) {
    sha1(reinterpret_cast<const uint8_t *>(data), size, out);
}

void sha1(const String &data, uint8_t out[20]) {
    sha1(data.c_str(), data.length(), out);
}

String sha1(const uint8_t *data, uint32_t size) {
    uint8_t digest[TW_SHA1_BYTES];
    sha1(data, size, digest);
    String text;
    for (const uint8_t octet : digest) {
        text += "0123456789abcdef"[octet >> 4];
        text += "0123456789abcdef"[octet & 15];
    }
    return text;
}

String sha1(const char *data, uint32_t size) {
    return sha1(reinterpret_cast<const uint8_t *>(data), size);
}

String sha1(const String &data) {
    return sha1(data.c_str(), data.length());
}
