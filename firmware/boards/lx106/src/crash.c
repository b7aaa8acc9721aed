#include "crash.h"

#include <stdlib.h>
#include <unistd.h>

#include "cpu.h"
#include "log.h"
#include "stack.h"

/* Words of the stack that a report shows, from the stack pointer up. */
#define STACK_WORDS 16u

/* DEBUGCAUSE: a data breakpoint, which is the stack guard. */
#define DEBUG_CAUSE_DBREAK 0x04u

static uint8_t crash_stack[1024] __attribute__((aligned(16), used));
/* For vectors.S; the stack grows down from here. */
__asm__(".global crash_stack_top\n\tcrash_stack_top = crash_stack + 1024");

static void begin(enum reset_reason reason) {
    cpu_lock();
    log_begin("crash");
    log_text("reason", reset_name(reason));
}

static void finish(enum reset_reason reason, uint32_t sp) __attribute__((noreturn));
static void finish(enum reset_reason reason, uint32_t sp) {
    log_hex("sp", sp);
    log_words("stack", (const uint32_t *)(sp & ~3u), stack_words_above(sp, STACK_WORDS));
    log_end();
    reset_now(reason);
}

void crash(enum reset_reason reason, const char *detail, uint32_t line) {
    begin(reason);
    log_text("detail", detail);
    if (line)
        log_number("line", line);
    finish(reason, (uint32_t)__builtin_frame_address(0));
}

void crash_interrupted(enum reset_reason reason, const struct crash_frame *frame) {
    begin(reason);
    log_hex("pc", frame->pc);
    log_hex("return", frame->a[0]);
    finish(reason, frame->a[1]);
}

void crash_exception(const struct crash_frame *frame) {
    begin(RESET_EXCEPTION);
    log_number("cause", frame->cause);
    log_hex("pc", frame->pc);
    log_hex("address", frame->address);
    log_hex("return", frame->a[0]);
    finish(RESET_EXCEPTION, frame->a[1]);
}

void crash_double(uint32_t pc, uint32_t cause, uint32_t address, uint32_t sp) {
    begin(RESET_DOUBLE_EXCEPTION);
    log_number("cause", cause);
    log_hex("pc", pc);
    log_hex("address", address);
    finish(RESET_DOUBLE_EXCEPTION, sp);
}

void crash_debug(uint32_t pc, uint32_t debug_cause, uint32_t sp) {
    enum reset_reason reason =
        debug_cause & DEBUG_CAUSE_DBREAK ? RESET_STACK_OVERFLOW : RESET_BREAK;
    begin(reason);
    log_hex("pc", pc);
    finish(reason, sp);
}

/* The C library's ways out. */
void abort(void) {
    crash(RESET_ABORT, "abort", 0);
}

void _exit(int status) {
    crash(RESET_ABORT, "exit", (uint32_t)status);
}
