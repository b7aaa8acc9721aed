#include "pgmspace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void *memcpy_P(void *to, PGM_VOID_P from, size_t size) {
    const uint8_t *at = from;
    uint8_t *out = to;
    while (size--)
        *out++ = pgm_read_byte(at++);
    return to;
}

int memcmp_P(const void *a, PGM_VOID_P b, size_t size) {
    const uint8_t *left = a, *right = b;
    for (; size; size--, left++, right++)
        if (*left != pgm_read_byte(right))
            return *left - pgm_read_byte(right);
    return 0;
}

size_t strnlen_P(PGM_P text, size_t size) {
    size_t length = 0;
    while (length < size && pgm_read_byte(text + length))
        length++;
    return length;
}

size_t strlen_P(PGM_P text) {
    return strnlen_P(text, SIZE_MAX);
}

char *strcpy_P(char *to, PGM_P from) {
    return memcpy_P(to, from, strlen_P(from) + 1);
}

char *strncpy_P(char *to, PGM_P from, size_t size) {
    size_t length = strnlen_P(from, size);
    memcpy_P(to, from, length);
    memset(to + length, 0, size - length);
    return to;
}

char *strcat_P(char *to, PGM_P from) {
    strcpy_P(to + strlen(to), from);
    return to;
}

char *strncat_P(char *to, PGM_P from, size_t size) {
    size_t length = strnlen_P(from, size), before = strlen(to);
    memcpy_P(to + before, from, length);
    to[before + length] = 0;
    return to;
}

static int same(int character) {
    return character;
}

static int compare(const char *a, PGM_P b, size_t size, int (*as)(int)) {
    for (; size; size--, a++, b++) {
        int left = as((uint8_t)*a), right = as(pgm_read_byte(b));
        if (left != right || !left)
            return left - right;
    }
    return 0;
}

int strncmp_P(const char *a, PGM_P b, size_t size) {
    return compare(a, b, size, same);
}

int strcmp_P(const char *a, PGM_P b) {
    return compare(a, b, SIZE_MAX, same);
}

int strncasecmp_P(const char *a, PGM_P b, size_t size) {
    return compare(a, b, size, tolower);
}

int strcasecmp_P(const char *a, PGM_P b) {
    return compare(a, b, SIZE_MAX, tolower);
}

char *strstr_P(const char *text, PGM_P pattern) {
    size_t length = strlen_P(pattern);
    for (; strlen(text) >= length; text++)
        if (!strncmp_P(text, pattern, length))
            return (char *)text;
    return NULL;
}

int vsnprintf_P(char *to, size_t size, PGM_P format, va_list values) {
    char *copy = malloc(strlen_P(format) + 1);
    if (!copy)
        return 0;
    int length = vsnprintf(to, size, strcpy_P(copy, format), values);
    free(copy);
    return length;
}

int snprintf_P(char *to, size_t size, PGM_P format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf_P(to, size, format, values);
    va_end(values);
    return length;
}

int sprintf_P(char *to, PGM_P format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf_P(to, SIZE_MAX / 2, format, values);
    va_end(values);
    return length;
}
