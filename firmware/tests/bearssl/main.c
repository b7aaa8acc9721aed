/*
 * The handshakes that Tasmota timed, and three that must fail: a line of the log each.
 */
#include "clock.h"
#include "counted.h"
#include "cpu.h"
#include "log.h"
#include "peers.h"

#define TURNS 1000000u

/* Let's Encrypt's servers are trusted by the certificate that signed theirs, those of AWS by the
 * root above that. */
static const struct handshake handshakes[] = {
    {.name = "pinned", .trust = TRUST_KEY},
    {.name = "chain", .trust = TRUST_ISSUER},
    {.name = "pinned-own", .trust = TRUST_KEY, .ecdhe = true, .own_key = true},
    {.name = "chain-own", .trust = TRUST_ROOT, .ecdhe = true, .own_key = true},
    {.name = "pinned-other", .trust = TRUST_KEY, .other_trust = true},
    {.name = "chain-other", .trust = TRUST_ISSUER, .other_trust = true},
    {.name = "chain-forged", .trust = TRUST_ISSUER, .forged = true},
};

/* The vectors' way to interrupts and crashes; none is open here. */
void interrupt_dispatch(void);
void interrupt_dispatch(void) {}

/* How many cycles of the counter two million instructions take. */
static void tell_scale(void) {
    uint32_t turns = TURNS, since = cpu_cycles();
    __asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+a"(turns));
    uint32_t cycles = cpu_cycles() - since;
    log_begin("scale");
    log_number("instructions", 2u * TURNS);
    log_number("cycles", cycles);
    log_end();
}

static void print_handshake(const struct handshake *handshake) {
    static const char *const names[][2] = {
        [COUNTED_RSA] = {"rsa_calls", "rsa_cycles"},
        [COUNTED_ECDHE] = {"ecdhe_calls", "ecdhe_cycles"},
        [COUNTED_SIGN] = {"sign_calls", "sign_cycles"},
    };
    struct outcome outcome = peers_shake_hands(handshake);
    log_begin("handshake");
    log_text("name", handshake->name);
    log_number("client_error", (uint32_t)outcome.client_error);
    log_number("server_error", (uint32_t)outcome.server_error);
    log_number("cycles", outcome.cycles);
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        log_number(names[kind][0], counts[kind].calls);
        log_number(names[kind][1], counts[kind].cycles);
    }
    log_number("stack_bytes", outcome.stack_bytes);
    log_number("context_bytes", outcome.context_bytes);
    log_number("buffer_bytes", outcome.buffer_bytes);
    log_number("decoder_bytes", outcome.decoder_bytes);
    log_number("sent_bytes", outcome.sent_bytes);
    log_number("received_bytes", outcome.received_bytes);
    log_end();
}

/* Ends the emulator. */
static void leave(void) {
    register int32_t a2 __asm__("a2") = 1;
    register int32_t a3 __asm__("a3") = 0;
    __asm__ volatile("simcall" : "+a"(a2), "+a"(a3) : : "memory");
}

void board_main(void);
void board_main(void) {
    clock_start();
    peers_start();
    tell_scale();
    for (size_t i = 0; i < sizeof handshakes / sizeof *handshakes; i++)
        print_handshake(&handshakes[i]);
    leave();
}
