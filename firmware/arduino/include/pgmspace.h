// Constants in flash, which the chip reads in aligned words of 32 bits only.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define THINWIRE_PROGMEM_NAME(number) ".text.progmem." #number
#define THINWIRE_PROGMEM(number)                                                                   \
    __attribute__((section(THINWIRE_PROGMEM_NAME(number)), aligned(4), used))
#ifdef __XTENSA__
#define PROGMEM THINWIRE_PROGMEM(__COUNTER__)
#else
#define PROGMEM
#endif
#define PGM_P const char *
#define PGM_VOID_P const void *
#ifdef __XTENSA__
#define PSTR(text)                                                                                 \
    (__extension__({                                                                               \
        static const char thinwire_text[] PROGMEM = (text);                                        \
        &thinwire_text[0];                                                                         \
    }))
#else
#define PSTR(text) (text)
#endif

static inline uint8_t pgm_read_byte(const void *at) {
    const uintptr_t address = (uintptr_t)at;
#ifdef __XTENSA__
    const uint32_t word = *(const uint32_t *)(address & ~(uintptr_t)3);
    return (uint8_t)(word >> (address & 3) * 8);
#else
    return *(const uint8_t *)address;
#endif
}

static inline uint16_t pgm_read_word(const void *at) {
    const uint8_t *bytes = (const uint8_t *)at;
    return (uint16_t)(pgm_read_byte(bytes) | pgm_read_byte(bytes + 1) << 8);
}

static inline uint32_t pgm_read_dword(const void *at) {
    const uint8_t *bytes = (const uint8_t *)at;
    return pgm_read_word(bytes) | (uint32_t)pgm_read_word(bytes + 2) << 16;
}

#define pgm_read_ptr(at) ((void *)(uintptr_t)pgm_read_dword(at))
#define pgm_read_byte_near(at) pgm_read_byte(at)
#define pgm_read_word_near(at) pgm_read_word(at)
#define pgm_read_dword_near(at) pgm_read_dword(at)

#ifdef __cplusplus
extern "C" {
#endif

// Those of string.h and stdio.h with a source, pattern or format in flash.
void *memcpy_P(void *to, PGM_VOID_P from, size_t size);
int memcmp_P(const void *a, PGM_VOID_P b, size_t size);
size_t strlen_P(PGM_P text);
size_t strnlen_P(PGM_P text, size_t size);
char *strcpy_P(char *to, PGM_P from);
char *strncpy_P(char *to, PGM_P from, size_t size);
char *strcat_P(char *to, PGM_P from);
char *strncat_P(char *to, PGM_P from, size_t size);
int strcmp_P(const char *a, PGM_P b);
int strncmp_P(const char *a, PGM_P b, size_t size);
int strcasecmp_P(const char *a, PGM_P b);
int strncasecmp_P(const char *a, PGM_P b, size_t size);
char *strstr_P(const char *text, PGM_P pattern);
int sprintf_P(char *to, PGM_P format, ...) __attribute__((format(printf, 2, 3)));
int snprintf_P(char *to, size_t size, PGM_P format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf_P(char *to, size_t size, PGM_P format, va_list values);

#ifdef __cplusplus
}
#endif
