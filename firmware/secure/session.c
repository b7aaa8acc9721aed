#include "session.h"

#include <string.h>

#include "core/config.h"
#include "credentials.h"
#include "mbedtls/ctr_drbg.h"
#include "mbedtls/platform_time.h"
#include "mbedtls/sha256.h"
#include "mbedtls/ssl.h"
#include "mbedtls/version.h"
#include "reasons.h"
#include "resumption.h"
#include "rng.h"
#include "tls13.h"

/* mbedTLS makes the progress of a handshake accessible through this macro only. */
#define STATE(ssl) ((ssl)->MBEDTLS_PRIVATE(state))

/* DTLS: the initial and the largest retransmission timeout of a flight (RFC 6347, section
 * 4.2.4.1). */
#define FLIGHT_FIRST_MS 1000
#define FLIGHT_LAST_MS 60000
/* DTLS: a flight of the device fits into one frame. */
#define DATAGRAM_BYTES 1280

struct session {
    const struct tw_session_host *host;
    const struct tw_config *config;
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config settings;
    mbedtls_x509_crt roots, own;
    mbedtls_pk_context key;
    const uint8_t *input;
    size_t input_size;
    tw_time soon, late; /* DTLS's timer: mbedTLS sets both; 0: not set */
    bool open, full, self_signed, has_credentials, offers; /* a session kept from before */
    enum tw_transport transport;
};

static struct session session;
/* The clock of certificates: that of the open session. */
static const struct tw_session_host *clock_host;
static uint32_t clock_start_s;

/* ---- time callbacks of mbedTLS ---- */

time_t tw_secure_time(time_t *out) {
    tw_time since_us = clock_host ? clock_host->now_us() : 0;
    time_t now = (time_t)(clock_start_s + (uint32_t)(since_us / 1000000u));
    if (out)
        *out = now;
    return now;
}

/* The age of a ticket (TLS 1.3) is measured by it, also across a restart. */
mbedtls_ms_time_t mbedtls_ms_time(void) {
    tw_time since_us = clock_host ? clock_host->now_us() : 0;
    return (mbedtls_ms_time_t)(clock_start_s * UINT64_C(1000) + since_us / 1000u);
}

#if TW_TLS_LEAST == 12
static void set_timer(void *ctx, uint32_t soon_ms, uint32_t late_ms) {
    struct session *s = ctx;
    tw_time now = s->host->now_us();
    s->soon = late_ms ? now + TW_MS(soon_ms) : 0;
    s->late = late_ms ? now + TW_MS(late_ms) : 0;
}

static int get_timer(void *ctx) {
    const struct session *s = ctx;
    tw_time now = s->host->now_us();
    return !s->late ? -1 : now >= s->late ? 2 : now >= s->soon ? 1 : 0;
}
#endif

/* ---- I/O callbacks of mbedTLS ---- */

static int give(void *ctx, const unsigned char *data, size_t size) {
    const struct session *s = ctx;
    size_t taken = s->host->send(data, size);
    if (s->transport == TW_DATAGRAM)
        return (int)size; /* the datagram is lost, as it might be on the network */
    return taken ? (int)taken : MBEDTLS_ERR_SSL_WANT_WRITE;
}

static int take(void *ctx, unsigned char *out, size_t room) {
    struct session *s = ctx;
    if (!s->input_size)
        return MBEDTLS_ERR_SSL_WANT_READ;
    size_t size = s->input_size < room ? s->input_size : room;
    memcpy(out, s->input, size);
    s->input += size;
    s->input_size -= size;
    if (s->transport == TW_DATAGRAM)
        s->input_size = 0;
    return (int)size;
}

/* ---- authentication of the peer ---- */

static int look_at(void *ctx, mbedtls_x509_crt *certificate, int depth, uint32_t *flags) {
    struct session *s = ctx;
    (void)flags;
    if (depth == 0)
        s->self_signed = certificate->issuer_raw.len &&
                         certificate->issuer_raw.len == certificate->subject_raw.len &&
                         !memcmp(certificate->issuer_raw.p, certificate->subject_raw.p,
                                 certificate->issuer_raw.len);
    return 0;
}

static bool key_is_pinned(const mbedtls_x509_crt *certificate) {
    uint8_t digest[TW_PIN_BYTES];
    if (!certificate || mbedtls_sha256(certificate->pk_raw.p, certificate->pk_raw.len, digest, 0))
        return false;
    for (size_t i = 0; i < tw_pin_count; i++)
        if (!memcmp(digest, tw_pins[i], sizeof digest))
            return true;
    return false;
}

/* The label of a secret in a key log (SSLKEYLOGFILE), or NULL if a key log does not list it. */
static const char *key_label(mbedtls_ssl_key_export_type type) {
    switch (type) {
    case MBEDTLS_SSL_KEY_EXPORT_TLS12_MASTER_SECRET:
        return "CLIENT_RANDOM";
#if TW_TLS_MOST > 12
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_CLIENT_HANDSHAKE_TRAFFIC_SECRET:
        return "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_SERVER_HANDSHAKE_TRAFFIC_SECRET:
        return "SERVER_HANDSHAKE_TRAFFIC_SECRET";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_CLIENT_APPLICATION_TRAFFIC_SECRET:
        return "CLIENT_TRAFFIC_SECRET_0";
    case MBEDTLS_SSL_KEY_EXPORT_TLS1_3_SERVER_APPLICATION_TRAFFIC_SECRET:
        return "SERVER_TRAFFIC_SECRET_0";
#endif
    default:
        return NULL;
    }
}

static void on_keys(void *ctx, mbedtls_ssl_key_export_type type, const unsigned char *secret,
                    size_t size, const unsigned char client_random[32],
                    const unsigned char server_random[32], mbedtls_tls_prf_types prf) {
    const struct session *s = ctx;
    (void)server_random, (void)prf;
    const char *label = key_label(type);
    if (label)
        s->host->keys(label, client_random, secret, size);
}

/* ---- settings ---- */

#if TW_TLS_LEAST == 12
static unsigned char fragment_code(uint16_t bytes) {
    switch (bytes) {
    case 512:
        return MBEDTLS_SSL_MAX_FRAG_LEN_512;
    case 1024:
        return MBEDTLS_SSL_MAX_FRAG_LEN_1024;
    case 2048:
        return MBEDTLS_SSL_MAX_FRAG_LEN_2048;
    case 4096:
        return MBEDTLS_SSL_MAX_FRAG_LEN_4096;
    default:
        return MBEDTLS_SSL_MAX_FRAG_LEN_NONE;
    }
}

static const int *suites(enum tw_security security) {
    static const int certified[] = {MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
                                    MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 0};
    static const int certified_ccm[] = {MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8,
                                        MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
                                        MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 0};
    static const int shared[] = {MBEDTLS_TLS_PSK_WITH_AES_128_GCM_SHA256,
                                 MBEDTLS_TLS_PSK_WITH_AES_128_CCM_8, 0};
    static const int shared_ccm[] = {MBEDTLS_TLS_PSK_WITH_AES_128_CCM_8,
                                     MBEDTLS_TLS_PSK_WITH_AES_128_GCM_SHA256, 0};
    bool ccm = session.transport == TW_DATAGRAM; /* RFC 7252, section 9 */
    if (security == TW_SECURITY_PSK)
        return ccm ? shared_ccm : shared;
    return ccm ? certified_ccm : certified;
}

/* Version, suites and extensions of TLS 1.2 and DTLS 1.2. */
static int configure_tls12(struct session *s) {
    const struct tw_config *config = s->config;
    mbedtls_ssl_config *settings = &s->settings;
    mbedtls_ssl_conf_ciphersuites(settings, suites(config->security));
    mbedtls_ssl_conf_min_tls_version(settings, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_max_tls_version(settings, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_session_tickets(settings, config->resume
                                                   ? MBEDTLS_SSL_SESSION_TICKETS_ENABLED
                                                   : MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
    mbedtls_ssl_conf_handshake_timeout(settings, FLIGHT_FIRST_MS, FLIGHT_LAST_MS);
    int error = mbedtls_ssl_conf_max_frag_len(settings, fragment_code(config->record_bytes));
    if (!error && config->cid && s->transport == TW_DATAGRAM)
        error = mbedtls_ssl_conf_cid(settings, 0, MBEDTLS_SSL_UNEXPECTED_CID_IGNORE);
    return error;
}
#endif

static int trust(struct session *s) {
    int error = 0;
    s->has_credentials = true;
    for (const struct tw_der *root = tw_roots; root->bytes && !error; root++)
        error = mbedtls_x509_crt_parse_der_nocopy(&s->roots, root->bytes, root->size);
    mbedtls_ssl_conf_ca_chain(&s->settings, &s->roots, NULL);
    mbedtls_ssl_conf_verify(&s->settings, look_at, s);
    return error;
}

static int identify(struct session *s) {
    int error = 0;
    s->has_credentials = true;
    for (const struct tw_der *one = tw_own_chain; one->bytes && !error; one++)
        error = mbedtls_x509_crt_parse_der_nocopy(&s->own, one->bytes, one->size);
    if (!error)
        error = mbedtls_pk_parse_key(&s->key, tw_own_key.bytes, tw_own_key.size, NULL, 0,
                                     mbedtls_ctr_drbg_random, &tw_rng);
    return error ? error : mbedtls_ssl_conf_own_cert(&s->settings, &s->own, &s->key);
}

/* Needed only until the peer is authenticated; keeping it would cost memory for the whole
 * session. */
static void forget_credentials(struct session *s) {
    if (!s->has_credentials)
        return;
    s->has_credentials = false;
    mbedtls_x509_crt_free(&s->roots);
    mbedtls_x509_crt_free(&s->own);
    mbedtls_pk_free(&s->key);
}

static int configure(struct session *s) {
    const struct tw_config *config = s->config;
    mbedtls_ssl_config *settings = &s->settings;
    int error = mbedtls_ssl_config_defaults(
        settings, MBEDTLS_SSL_IS_CLIENT,
        s->transport == TW_DATAGRAM ? MBEDTLS_SSL_TRANSPORT_DATAGRAM : MBEDTLS_SSL_TRANSPORT_STREAM,
        MBEDTLS_SSL_PRESET_DEFAULT);
    if (error)
        return error;
    mbedtls_ssl_conf_rng(settings, mbedtls_ctr_drbg_random, &tw_rng);
    if (tw_is_tls13(config))
        tw_tls13_configure(settings, config);
#if TW_TLS_LEAST == 12
    else
        error = configure_tls12(s);
#endif
    /* A pinned key needs no chain: it is compared when the handshake is over. */
    mbedtls_ssl_conf_authmode(settings, config->security == TW_SECURITY_CHAIN
                                            ? MBEDTLS_SSL_VERIFY_REQUIRED
                                            : MBEDTLS_SSL_VERIFY_NONE);
    if (!error && config->security == TW_SECURITY_CHAIN)
        error = trust(s);
    if (!error && config->own_certificate)
        error = identify(s);
    /* In TLS 1.3 a ticket is such a key and replaces it. */
    if (!error && config->security == TW_SECURITY_PSK && !(tw_is_tls13(config) && s->offers))
        error =
            mbedtls_ssl_conf_psk(settings, tw_psk, tw_psk_size,
                                 (const unsigned char *)tw_psk_identity, strlen(tw_psk_identity));
    return error;
}

static int prepare(struct session *s) {
    const struct tw_config *config = s->config;
    int error = mbedtls_ssl_setup(&s->ssl, &s->settings);
    if (error)
        return error;
    if (config->security != TW_SECURITY_PSK)
        error = mbedtls_ssl_set_hostname(&s->ssl, config->server_name);
#if TW_TLS_LEAST == 12
    if (!error && s->transport == TW_DATAGRAM) {
        mbedtls_ssl_set_timer_cb(&s->ssl, s, set_timer, get_timer);
        mbedtls_ssl_set_mtu(&s->ssl, DATAGRAM_BYTES);
        if (config->cid) /* requests the server's ID; ours is empty: one peer, one socket */
            error = mbedtls_ssl_set_cid(&s->ssl, MBEDTLS_SSL_CID_ENABLED, NULL, 0);
    }
#endif
    mbedtls_ssl_set_bio(&s->ssl, s, give, take, NULL);
    if (config->key_log)
        mbedtls_ssl_set_export_keys_cb(&s->ssl, on_keys, s);
    if (!error && s->offers)
        error = tw_resumption_offer(&s->ssl, config);
    return error;
}

/* ---- the session ---- */

static bool waits(int error) {
    return error == MBEDTLS_ERR_SSL_WANT_READ || error == MBEDTLS_ERR_SSL_WANT_WRITE;
}

static const char *reason_of(struct session *s, int error) {
    tw_resumption_drop(); /* RFC 5246, section 7.2.2: such a session is not resumed */
    uint32_t wrong = mbedtls_ssl_get_verify_result(&s->ssl);
    bool judged = error == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED ||
                  (error == MBEDTLS_ERR_SSL_BAD_CERTIFICATE && wrong && wrong != UINT32_MAX);
    if (judged && wrong & MBEDTLS_X509_BADCERT_NOT_TRUSTED && s->self_signed)
        return "certificate_self_signed";
    if (judged)
        return tw_reason_of_certificate(wrong);
    if (error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)
        return tw_reason_of_alert(s->ssl.MBEDTLS_PRIVATE(in_msg)[1]);
    if (error == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
        return "closed";
    return tw_reason_of_error(error);
}

const char *tw_session_open(const struct tw_session_host *host, const struct tw_config *config,
                            enum tw_transport transport) {
    struct session *s = &session;
    tw_session_close();
    *s = (struct session){.host = host, .config = config, .transport = transport, .open = true};
    clock_host = host;
    clock_start_s = config->utc_s;
    mbedtls_ssl_init(&s->ssl);
    mbedtls_ssl_config_init(&s->settings);
    mbedtls_x509_crt_init(&s->roots);
    mbedtls_x509_crt_init(&s->own);
    mbedtls_pk_init(&s->key);
    const char *came = tw_resumption_recall(config, transport);
    if (came)
        host->memory(came, 0);
    s->offers = config->resume && tw_resumption_any();
    int error = tw_rng_start(host, config);
    if (error)
        return "no_entropy";
    error = configure(s);
    if (!error)
        error = prepare(s);
    if (error)
        return reason_of(s, error);
    if (tw_is_tls13(config)) /* or a certificate shows it */
        s->full = config->security == TW_SECURITY_PSK && !s->offers;
    bool up;
    return tw_session_handshake(&up);
}

void tw_session_feed(const uint8_t *data, size_t size) {
    session.input = data;
    session.input_size = size;
}

static void keep_for_later(struct session *s) {
    size_t bytes;
    if (!s->config->resume)
        return;
    bool fits = tw_resumption_keep(&s->ssl, &bytes);
    if (bytes)
        s->host->memory(fits ? "kept" : "too_large", bytes);
}

/* A resumed session has no certificate: its key was compared before the session was kept. */
static bool peer_is_pinned(const struct session *s) {
    const mbedtls_x509_crt *certificate = mbedtls_ssl_get_peer_cert(&s->ssl);
    return certificate ? key_is_pinned(certificate) : s->offers && !s->full;
}

const char *tw_session_handshake(bool *up) {
    struct session *s = &session;
    int error = 0;
    *up = false;
    while (!error && !mbedtls_ssl_is_handshake_over(&s->ssl)) {
        if (s->host->alive)
            s->host->alive();
        s->full |= STATE(&s->ssl) == (tw_is_tls13(s->config) ? MBEDTLS_SSL_CERTIFICATE_VERIFY
                                                             : MBEDTLS_SSL_SERVER_HELLO_DONE);
        if (tw_is_tls13(s->config))
            tw_tls13_expect_cookie(&s->ssl);
        error = mbedtls_ssl_handshake_step(&s->ssl);
    }
    if (error)
        return waits(error) ? NULL : reason_of(s, error);
    forget_credentials(s);
    if (s->config->security == TW_SECURITY_PINNED && !peer_is_pinned(s)) {
        tw_resumption_drop();
        mbedtls_ssl_send_alert_message(&s->ssl, MBEDTLS_SSL_ALERT_LEVEL_FATAL,
                                       MBEDTLS_SSL_ALERT_MSG_BAD_CERT);
        return "wrong_key";
    }
    if (!tw_is_tls13(s->config)) /* its tickets arrive later */
        keep_for_later(s);
    *up = true;
    return NULL;
}

/* TLS 1.3: did reading stop before or behind a ticket (RFC 8446, section 4.6.1)? */
static bool took_ticket(struct session *s, int got) {
    if (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
        keep_for_later(s);
    return got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET ||
           (got == MBEDTLS_ERR_SSL_WANT_READ &&
            STATE(&s->ssl) == MBEDTLS_SSL_TLS1_3_NEW_SESSION_TICKET);
}

const char *tw_session_read(uint8_t *out, size_t room, size_t *size, bool *closed) {
    struct session *s = &session;
    *size = 0;
    *closed = false;
    for (;;) {
        int got = mbedtls_ssl_read(&s->ssl, out, room);
        if (got > 0) {
            *size = (size_t)got;
            return NULL;
        }
        if (tw_is_tls13(s->config) && took_ticket(s, got))
            continue;
        if (got == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
            *closed = true;
        if (got == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY || waits(got))
            return NULL;
        if (got) /* 0: an empty record */
            return reason_of(s, got);
    }
}

const char *tw_session_write(const uint8_t *data, size_t size, size_t *taken) {
    struct session *s = &session;
    *taken = 0;
    if (!tw_session_flush())
        return NULL;
    while (*taken < size) {
        int largest = mbedtls_ssl_get_max_out_record_payload(&s->ssl);
        if (largest <= 0)
            return reason_of(s, largest);
        size_t piece = size - *taken < (size_t)largest ? size - *taken : (size_t)largest;
        if (s->transport == TW_DATAGRAM && piece < size)
            return NULL;
        int put = mbedtls_ssl_write(&s->ssl, data + *taken, piece);
        if (put == MBEDTLS_ERR_SSL_WANT_WRITE) { /* encrypted, and partly passed to the network */
            *taken += piece;
            return NULL;
        }
        if (put < 0)
            return reason_of(s, put);
        *taken += (size_t)put;
    }
    return NULL;
}

bool tw_session_flush(void) {
    static const uint8_t nothing[1];
    if (!tw_session_pending())
        return true;
    /* With a record pending, mbedTLS sends that record and accepts no new data. */
    return mbedtls_ssl_write(&session.ssl, nothing, sizeof nothing) > 0;
}

void tw_session_finish(void) {
    if (session.open && mbedtls_ssl_is_handshake_over(&session.ssl))
        mbedtls_ssl_close_notify(&session.ssl);
}

void tw_session_close(void) {
    struct session *s = &session;
    if (!s->open)
        return;
    forget_credentials(s);
    mbedtls_ssl_free(&s->ssl);
    mbedtls_ssl_config_free(&s->settings);
    s->open = false;
    s->soon = s->late = 0;
}

tw_time tw_session_deadline(void) {
    return session.open && session.late ? session.late : TW_NEVER;
}

size_t tw_session_pending(void) {
    return session.open ? session.ssl.MBEDTLS_PRIVATE(out_left) : 0;
}

struct tw_session_facts tw_session_facts(void) {
    return (struct tw_session_facts){.version = session.transport == TW_DATAGRAM ? "DTLS1.2"
                                                : tw_is_tls13(session.config)    ? "TLS1.3"
                                                                                 : "TLS1.2",
                                     .suite = mbedtls_ssl_get_ciphersuite(&session.ssl),
                                     .resumed = !session.full};
}
