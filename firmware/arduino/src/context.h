/*
 * Two contexts of execution with a stack each.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stdint.h>

/* What context_switch keeps at a context's stack pointer; its stack is aligned to 16 bytes. */
struct context_frame {
    void (*go_on)(void);
    uint32_t kept[4];
    uint32_t unused[3];
};

void context_switch(void **leave, void *enter);

#endif
