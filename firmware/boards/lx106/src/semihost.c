#include "semihost.h"

#include <stdint.h>

#define SYS_WRITE 4
#define STANDARD_OUTPUT 1

void semihost_write(const char *text, size_t size) {
    while (size) {
        register int32_t a2 __asm__("a2") = SYS_WRITE; /* then the number of bytes written */
        register int32_t a3 __asm__("a3") = STANDARD_OUTPUT;
        register const char *a4 __asm__("a4") = text;
        register size_t a5 __asm__("a5") = size;
        __asm__ volatile("simcall" : "+a"(a2), "+a"(a3) : "a"(a4), "a"(a5) : "memory");
        if (a2 <= 0)
            return; /* the host's disk is full; the log cannot report it */
        text += a2;
        size -= (size_t)a2;
    }
}
