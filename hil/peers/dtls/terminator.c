/*
 * A DTLS 1.2 terminator with connection IDs (RFC 9146) in front of a server that speaks plain UDP.
 *
 *     dtls-terminator ADDRESS PORT INSIDE CID_BYTES psk IDENTITY HEX
 *     dtls-terminator ADDRESS PORT INSIDE CID_BYTES certificate CHAIN KEY
 *
 * Listens on ADDRESS:PORT and forwards each association's datagrams to ADDRESS:INSIDE through a
 * separate UDP socket, so that the server can distinguish devices. A device that requests a
 * connection ID gets one of CID_BYTES (0: none); it identifies the association after the device's
 * address has changed. Exits with status 2 and a line on standard error if it cannot start.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mbedtls/ctr_drbg.h"
#include "mbedtls/platform_time.h"
#include "mbedtls/ssl.h"
#include "mbedtls/ssl_cookie.h"
#include "mbedtls/ssl_ticket.h"

#define ASSOCIATIONS 64 /* at a time; a new one replaces the one that was silent for longest */
#define DATAGRAM_BYTES 2048
#define CID_MOST 8
#define TICKET_S 86400
/* A record's header: type, version, epoch and sequence number, the connection ID (RFC 9146, 4). */
#define TYPE_CID 25
#define NUMBER_AT 3
#define NUMBER_BYTES 8
#define CID_AT 11

struct association {
    bool used, up;
    mbedtls_ssl_context ssl;
    struct sockaddr_in device, from; /* where it is, and where the last datagram came from */
    uint8_t newest[NUMBER_BYTES], number[NUMBER_BYTES]; /* of the former, of the latter */
    uint8_t cid[CID_MOST];
    int inside;
    int64_t heard_ms, soon_ms, late_ms; /* `late_ms` 0: no timer */
    const uint8_t *input;
    size_t input_size;
};

static struct association associations[ASSOCIATIONS];
static struct sockaddr_in server;
static int outside;
static size_t cid_bytes;
static mbedtls_ctr_drbg_context generator;
static mbedtls_ssl_config settings;
static mbedtls_ssl_cookie_ctx cookies;
static mbedtls_ssl_ticket_context tickets;
static mbedtls_x509_crt chain;
static mbedtls_pk_context key;

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

mbedtls_ms_time_t mbedtls_ms_time(void) {
    return now_ms();
}

time_t tw_secure_time(time_t *out) {
    return time(out);
}

static _Noreturn void refuse(const char *what, int error) {
    fprintf(stderr, "dtls-terminator: %s", what);
    if (error)
        fprintf(stderr, " (mbedTLS: -0x%04x)", (unsigned)-error);
    fputc('\n', stderr);
    exit(2);
}

static void need(int error, const char *what) {
    if (error)
        refuse(what, error);
}

static int entropy(void *ctx, unsigned char *out, size_t size) {
    (void)ctx;
    return getrandom(out, size, 0) == (ssize_t)size ? 0
                                                    : MBEDTLS_ERR_CTR_DRBG_ENTROPY_SOURCE_FAILED;
}

/* ---- an association: callbacks of mbedTLS ---- */

static void set_timer(void *ctx, uint32_t soon_ms, uint32_t late_ms) {
    struct association *a = ctx;
    a->soon_ms = late_ms ? now_ms() + soon_ms : 0;
    a->late_ms = late_ms ? now_ms() + late_ms : 0;
}

static int get_timer(void *ctx) {
    const struct association *a = ctx;
    return !a->late_ms ? -1 : now_ms() >= a->late_ms ? 2 : now_ms() >= a->soon_ms ? 1 : 0;
}

static int give(void *ctx, const unsigned char *data, size_t size) {
    const struct association *a = ctx;
    sendto(outside, data, size, 0, (const struct sockaddr *)&a->device, sizeof a->device);
    return (int)size; /* a datagram that cannot be sent is lost, as it might be on the network */
}

static int take(void *ctx, unsigned char *out, size_t room) {
    struct association *a = ctx;
    if (!a->input_size)
        return MBEDTLS_ERR_SSL_WANT_READ;
    size_t size = a->input_size < room ? a->input_size : room;
    memcpy(out, a->input, size);
    a->input_size = 0;
    return (int)size;
}

/* Prepare an association for a ClientHello. Returns false if mbedTLS fails. */
static bool await_hello(struct association *a) {
    a->up = false;
    memset(a->newest, 0, sizeof a->newest);
    const unsigned char *who = (const unsigned char *)&a->device; /* for the cookie */
    return !mbedtls_ssl_session_reset(&a->ssl) &&
           !mbedtls_ssl_set_client_transport_id(&a->ssl, who, sizeof a->device) &&
           (!cid_bytes ||
            !mbedtls_ssl_set_cid(&a->ssl, MBEDTLS_SSL_CID_ENABLED, a->cid, cid_bytes));
}

/* Assign an unused connection ID to an association. Returns false if there are no random
 * numbers. */
static bool choose_cid(struct association *a) {
    bool taken;
    do {
        if (mbedtls_ctr_drbg_random(&generator, a->cid, cid_bytes))
            return false;
        taken = false;
        for (const struct association *b = associations; b < associations + ASSOCIATIONS; b++)
            taken |= cid_bytes && b != a && b->used && !memcmp(a->cid, b->cid, cid_bytes);
    } while (taken);
    return true;
}

static void end(struct association *a) {
    mbedtls_ssl_free(&a->ssl);
    close(a->inside);
    a->used = false;
}

static struct association *begin(const struct sockaddr_in *device) {
    struct association *a = associations;
    for (struct association *b = associations; b < associations + ASSOCIATIONS; b++)
        if (a->used && (!b->used || b->heard_ms < a->heard_ms))
            a = b;
    if (a->used)
        end(a);
    memset(a, 0, sizeof *a);
    a->used = true;
    a->device = *device;
    a->inside = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    mbedtls_ssl_init(&a->ssl);
    mbedtls_ssl_set_timer_cb(&a->ssl, a, set_timer, get_timer);
    mbedtls_ssl_set_bio(&a->ssl, a, give, take, NULL);
    bool ready = !connect(a->inside, (struct sockaddr *)&server, sizeof server) && choose_cid(a) &&
                 !mbedtls_ssl_setup(&a->ssl, &settings) && await_hello(a);
    if (!ready)
        end(a);
    return ready ? a : NULL;
}

/* ---- datagrams ---- */

static bool has_cid(const uint8_t *datagram, size_t size) {
    return cid_bytes && size > CID_AT + cid_bytes && datagram[0] == TYPE_CID;
}

static struct association *find(const uint8_t *datagram, size_t size,
                                const struct sockaddr_in *from) {
    for (struct association *a = associations; a < associations + ASSOCIATIONS; a++) {
        if (!a->used)
            continue;
        if (has_cid(datagram, size) ? !memcmp(a->cid, datagram + CID_AT, cid_bytes)
                                    : a->device.sin_port == from->sin_port &&
                                          a->device.sin_addr.s_addr == from->sin_addr.s_addr)
            return a;
    }
    return has_cid(datagram, size) ? NULL : begin(from);
}

/* The device's address is the source of its newest authentic record (RFC 9146, section 6). */
static void on_authentic(struct association *a) {
    if (memcmp(a->number, a->newest, NUMBER_BYTES) <= 0)
        return;
    memcpy(a->newest, a->number, NUMBER_BYTES);
    a->device = a->from;
}

/* Process received datagrams and expired timers. */
static void go_on(struct association *a) {
    uint8_t content[DATAGRAM_BYTES];
    int result;
    do {
        if (!a->up) {
            result = mbedtls_ssl_handshake(&a->ssl);
            a->up = !result;
        }
        if (a->up && (result = mbedtls_ssl_read(&a->ssl, content, sizeof content)) > 0) {
            on_authentic(a);
            send(a->inside, content, (size_t)result, 0);
        }
        if (result == MBEDTLS_ERR_SSL_CLIENT_RECONNECT) /* a new association from the same port */
            a->up = false;
    } while (result > 0 || result == MBEDTLS_ERR_SSL_CLIENT_RECONNECT);
    bool waits = result == MBEDTLS_ERR_SSL_WANT_READ || result == MBEDTLS_ERR_SSL_WANT_WRITE;
    if (result == MBEDTLS_ERR_SSL_HELLO_VERIFY_REQUIRED)
        waits = await_hello(a);
    if (!waits) {
        mbedtls_ssl_close_notify(&a->ssl);
        end(a);
    }
}

static void on_datagram(void) {
    uint8_t datagram[DATAGRAM_BYTES];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    ssize_t size =
        recvfrom(outside, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &length);
    struct association *a = size > CID_AT ? find(datagram, (size_t)size, &from) : NULL;
    if (!a)
        return;
    a->heard_ms = now_ms();
    a->from = from;
    memcpy(a->number, datagram + NUMBER_AT, NUMBER_BYTES);
    a->input = datagram;
    a->input_size = (size_t)size;
    go_on(a);
    a->input_size = 0; /* its pending data are dropped */
}

static void on_answer(struct association *a) {
    uint8_t content[DATAGRAM_BYTES];
    ssize_t size = recv(a->inside, content, sizeof content, 0);
    if (size > 0 && a->up)
        mbedtls_ssl_write(&a->ssl, content, (size_t)size);
}

static _Noreturn void serve(void) {
    for (;;) {
        struct pollfd waiting[ASSOCIATIONS + 1] = {{.fd = outside, .events = POLLIN}};
        int64_t pause_ms = -1, now = now_ms();
        for (int i = 0; i < ASSOCIATIONS; i++) {
            const struct association *a = &associations[i];
            waiting[i + 1] = (struct pollfd){.fd = a->used ? a->inside : -1, .events = POLLIN};
            int64_t left = a->late_ms > now ? a->late_ms - now : 0;
            if (a->used && a->late_ms && (pause_ms < 0 || left < pause_ms))
                pause_ms = left;
        }
        if (poll(waiting, ASSOCIATIONS + 1, (int)pause_ms) < 0)
            continue; /* a signal */
        for (int i = 0; i < ASSOCIATIONS; i++) {
            struct association *a = &associations[i];
            if (a->used && waiting[i + 1].revents)
                on_answer(a);
            if (a->used && a->late_ms && a->late_ms <= now_ms())
                go_on(a);
        }
        if (waiting[0].revents)
            on_datagram();
    }
}

/* ---- the start ---- */

static struct sockaddr_in address(const char *ip, const char *port) {
    struct sockaddr_in out = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    if (!out.sin_port || inet_pton(AF_INET, ip, &out.sin_addr) != 1)
        refuse("the addresses are an IPv4 address and two ports", 0);
    return out;
}

static void take_shared_key(const char *identity, const char *hex) {
    uint8_t secret[MBEDTLS_PSK_MAX_LEN];
    size_t size = strlen(hex) / 2;
    unsigned byte;
    for (size_t i = 0; i < size; i++) {
        if (i == sizeof secret || sscanf(hex + 2 * i, "%2x", &byte) != 1)
            refuse("the shared key is no hexadecimal number, or too long", 0);
        secret[i] = (uint8_t)byte;
    }
    need(mbedtls_ssl_conf_psk(&settings, secret, size, (const unsigned char *)identity,
                              strlen(identity)),
         "the shared key is none");
}

static void take_certificate(const char *chain_file, const char *key_file) {
    need(mbedtls_x509_crt_parse_file(&chain, chain_file), "the certificate cannot be read");
    need(mbedtls_pk_parse_keyfile(&key, key_file, NULL, mbedtls_ctr_drbg_random, &generator),
         "the certificate's key cannot be read");
    need(mbedtls_ssl_conf_own_cert(&settings, &chain, &key), "certificate and key do not fit");
}

static void configure(void) {
    need(mbedtls_ctr_drbg_seed(&generator, entropy, NULL, NULL, 0), "no random numbers");
    need(mbedtls_ssl_config_defaults(&settings, MBEDTLS_SSL_IS_SERVER,
                                     MBEDTLS_SSL_TRANSPORT_DATAGRAM, MBEDTLS_SSL_PRESET_DEFAULT),
         "no memory");
    mbedtls_ssl_conf_rng(&settings, mbedtls_ctr_drbg_random, &generator);
    mbedtls_ssl_conf_authmode(&settings, MBEDTLS_SSL_VERIFY_NONE);
    mbedtls_ssl_conf_preference_order(&settings, MBEDTLS_SSL_SRV_CIPHERSUITE_ORDER_CLIENT);
    need(mbedtls_ssl_cookie_setup(&cookies, mbedtls_ctr_drbg_random, &generator), "no cookies");
    mbedtls_ssl_conf_dtls_cookies(&settings, mbedtls_ssl_cookie_write, mbedtls_ssl_cookie_check,
                                  &cookies);
    need(mbedtls_ssl_ticket_setup(&tickets, mbedtls_ctr_drbg_random, &generator,
                                  MBEDTLS_CIPHER_AES_128_GCM, TICKET_S),
         "no tickets");
    mbedtls_ssl_conf_session_tickets_cb(&settings, mbedtls_ssl_ticket_write,
                                        mbedtls_ssl_ticket_parse, &tickets);
    need(mbedtls_ssl_conf_cid(&settings, cid_bytes, MBEDTLS_SSL_UNEXPECTED_CID_IGNORE),
         "no connection IDs of this length");
}

int main(int count, char **words) {
    if (count != 8)
        refuse("give address, port, port inside, bytes of a connection ID, and psk IDENTITY HEX "
               "or certificate CHAIN KEY",
               0);
    struct sockaddr_in own = address(words[1], words[2]);
    server = address(words[1], words[3]);
    cid_bytes = (size_t)strtoul(words[4], NULL, 10);
    if (cid_bytes > CID_MOST)
        refuse("a connection ID has up to 8 bytes", 0);
    mbedtls_ctr_drbg_init(&generator);
    mbedtls_ssl_config_init(&settings);
    mbedtls_ssl_cookie_init(&cookies);
    mbedtls_ssl_ticket_init(&tickets);
    mbedtls_x509_crt_init(&chain);
    mbedtls_pk_init(&key);
    configure();
    if (!strcmp(words[5], "psk"))
        take_shared_key(words[6], words[7]);
    else
        take_certificate(words[6], words[7]);
    outside = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bind(outside, (struct sockaddr *)&own, sizeof own))
        refuse("the port is taken", 0);
    serve();
}
