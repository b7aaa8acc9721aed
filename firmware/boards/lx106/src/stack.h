/*
 * The stack's limits. start.S fills the stack with a pattern; where the pattern remains, the stack
 * was never used.
 */
#ifndef STACK_H
#define STACK_H

#include <stdint.h>

/* Arms the guard: a store to the 64 bytes below the limit raises an exception; stack_check detects
 * a store that skipped them. */
void stack_guard(void);
/* Crashes when the words at the limit were written. */
void stack_check(void);
/* Bytes never used so far. */
uint32_t stack_free_min(void);
/* How many of `words` words from `sp` up lie in the stack; 0 when `sp` does not. */
uint32_t stack_words_above(uint32_t sp, uint32_t words);

#endif
