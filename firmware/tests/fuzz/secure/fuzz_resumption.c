/*
 * A session in memory that outlives a restart, as the fuzzer writes it: taken up, offered to a
 * server in a ClientHello, kept again. An input is the number of a configuration, a byte, and the
 * memory: where the byte is even, as it is; where it is odd, its session alone, in a head that
 * fits, so that what a check of SHA-256 keeps from mbedTLS reaches it here.
 *
 * Fails on what the sanitizers find, on a session that is offered although its memory is damaged,
 * and on one that is still in memory when it has been taken up.
 */
#include <stdlib.h>
#include <string.h>

/* Their state is private, and each run begins without any. */
#include "secure/resumption.c"
#include "secure/rng.c"
#include "secure/session.c"

static const char *const configurations[] = {
    "proto=mqtt security=chain",
    "proto=mqtt security=pinned",
    "proto=mqtt security=psk",
    "proto=coap security=psk cid=1",
    "proto=mqtt security=chain tls_version=13",
    "proto=mqtt security=psk tls_version=13 psk_dhe=0",
};

static uint8_t memory[TW_RESUMPTION_BYTES];
static const char *event;

static void require(bool condition) {
    if (!condition)
        abort();
}

bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]) {
    memcpy(out, memory, sizeof memory);
    return true;
}

void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]) {
    memcpy(memory, data, sizeof memory);
}

static size_t send_nowhere(const uint8_t *data, size_t size) {
    (void)data;
    return size;
}

static tw_time no_time(void) {
    return 0;
}

static void no_keys(const char *label, const uint8_t random[32], const uint8_t *secret,
                    size_t size) {
    (void)label, (void)random, (void)secret, (void)size;
}

static void report_memory(const char *what, size_t bytes) {
    (void)bytes;
    event = what;
}

static const struct tw_session_host fuzz_host = {
    .send = send_nowhere, .now_us = no_time, .keys = no_keys, .memory = report_memory};

/* The memory with these bytes for its session; its head fits the configuration. */
static void seal(const struct tw_config *config, enum tw_transport transport, const uint8_t *data,
                 size_t size) {
    struct tw_resumption_record record = {
        .kept_at_s = config->utc_s,
        .size =
            (uint16_t)(size < TW_RESUMPTION_SESSION_BYTES ? size : TW_RESUMPTION_SESSION_BYTES)};
    require(identify_by(config, transport));
    memcpy(record.identity, identity, sizeof identity);
    memcpy(memory + TW_RESUMPTION_HEAD_BYTES, data, record.size);
    tw_resumption_seal(memory, &record);
}

static void forget_all(void) {
    tw_session_close();
    tw_resumption_drop();
    if (chance_started)
        mbedtls_ctr_drbg_free(&tw_rng);
    chance_started = looked = has_memory = in_memory = false;
    starts = 0;
    memset(memory, 0, sizeof memory);
    event = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tw_config config;
    char key[32];
    if (size < 2)
        return 0;
    const char *words = configurations[*data % (sizeof configurations / sizeof *configurations)];
    enum tw_transport transport = strstr(words, "coap") ? TW_DATAGRAM : TW_STREAM;
    tw_config_defaults(&config);
    require(tw_config_parse(&config, words, key, sizeof key));
    config.resume = true;
    if (data[1] % 2)
        seal(&config, transport, data + 2, size - 2);
    else
        memcpy(memory, data + 2, size - 2 < sizeof memory ? size - 2 : sizeof memory);
    struct tw_resumption_record record;
    bool whole = !tw_resumption_unseal(memory, &record);
    tw_session_open(&fuzz_host, &config, transport);
    require(event != NULL);
    require(whole || !session.offers);
    require(session.offers == !strcmp(event, "recalled"));
    require(!tw_resumption_unseal(memory, &record) && !record.size);
    if (tw_resumption_any()) {
        size_t bytes;
        if (store(&bytes))
            require(!tw_resumption_unseal(memory, &record) && record.size == bytes);
    }
    forget_all();
    return 0;
}
