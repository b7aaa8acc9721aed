#include "peers.h"

#include <string.h>

#include "counted.h"
#include "cpu.h"
#include "crash.h"
#include "pinned.h"

#define PAINT 0xA5A5A5A5u /* as in start.S */

/* Tasmota's buffers: 1024 bytes and what a record has around them. */
#define IN_BYTES (1024 + 325)
#define OUT_BYTES (1024 + 85)

/* 2020-01-01 in days since year 0, as BearSSL counts. */
#define TODAY 737790

#define NAME "server.thinwire.test"
#define MOST_CERTIFICATES 3

extern uint32_t __heap_start[]; /* the lowest that the stack may reach: there is no heap */

struct anchor {
    br_x509_trust_anchor anchor;
    br_x509_decoder_context decoder;
    unsigned char name[128];
    size_t name_size;
};

static br_ssl_client_context client;
static br_ssl_server_context server;
static unsigned char client_in[IN_BYTES], client_out[OUT_BYTES];
static unsigned char server_in[IN_BYTES], server_out[OUT_BYTES];
static br_x509_minimal_context client_chain_engine, server_chain_engine;
static struct pinned pinned;
static unsigned char fingerprint[br_sha1_SIZE];

static struct anchor root, issuer, client_issuer, leaf;
static br_skey_decoder_context server_key, client_key;
static unsigned char leaf_bytes[1024];
static br_x509_certificate server_chain[MOST_CERTIFICATES];
static size_t server_chain_size;
static br_x509_certificate client_certificate;

static void append_name(void *context, const void *data, size_t size) {
    struct anchor *anchor = context;
    if (size > sizeof anchor->name - anchor->name_size)
        size = sizeof anchor->name - anchor->name_size;
    memcpy(anchor->name + anchor->name_size, data, size);
    anchor->name_size += size;
}

/* The certificate's key and name, as something to trust. */
static void read_anchor(struct anchor *anchor, const struct tw_der *certificate) {
    br_x509_decoder_init(&anchor->decoder, append_name, anchor);
    br_x509_decoder_push(&anchor->decoder, certificate->bytes, certificate->size);
    anchor->anchor.dn.data = anchor->name;
    anchor->anchor.dn.len = anchor->name_size;
    anchor->anchor.flags = br_x509_decoder_isCA(&anchor->decoder) ? BR_X509_TA_CA : 0;
    anchor->anchor.pkey = anchor->decoder.pkey;
}

static void read_key(br_skey_decoder_context *decoder, const struct tw_der *key) {
    br_skey_decoder_init(decoder);
    br_skey_decoder_push(decoder, key->bytes, key->size);
}

void peers_start(void) {
    read_anchor(&root, &tw_roots[0]);
    read_anchor(&leaf, &tw_server_chain[0]);
    read_anchor(&issuer, &tw_server_chain[1]);
    read_anchor(&client_issuer, &tw_client_chain[1]);
    read_key(&server_key, &tw_server_key[0]);
    read_key(&client_key, &tw_client_key[0]);
    pinned_fingerprint(&leaf.anchor.pkey.key.rsa, fingerprint);
    for (const struct tw_der *one = tw_server_chain;
         one->bytes && server_chain_size < MOST_CERTIFICATES; one++)
        server_chain[server_chain_size++] =
            (br_x509_certificate){(unsigned char *)one->bytes, one->size};
    server_chain[0].data = leaf_bytes;
    client_certificate =
        (br_x509_certificate){(unsigned char *)tw_client_chain[0].bytes, tw_client_chain[0].size};
}

/* What both ends have: one suite, SHA-256 and AES-GCM by the tables that are smallest. */
static void configure(br_ssl_engine_context *engine, bool ecdhe, const char *seed) {
    static const uint16_t by_ecdhe[] = {BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256};
    static const uint16_t by_rsa[] = {BR_TLS_RSA_WITH_AES_128_GCM_SHA256};
    br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
    br_ssl_engine_add_flags(engine, BR_OPT_NO_RENEGOTIATION);
    br_ssl_engine_set_suites(engine, ecdhe ? by_ecdhe : by_rsa, 1);
    br_ssl_engine_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
    br_ssl_engine_set_prf_sha256(engine, &br_tls12_sha256_prf);
    br_ssl_engine_set_gcm(engine, &br_sslrec_in_gcm_vtable, &br_sslrec_out_gcm_vtable);
    br_ssl_engine_set_aes_ctr(engine, &br_aes_small_ctr_vtable);
    br_ssl_engine_set_ghash(engine, &br_ghash_ctmul32);
    br_ssl_engine_inject_entropy(engine, seed, strlen(seed));
}

static void trust_chain(br_x509_minimal_context *engine, const struct anchor *anchor) {
    br_x509_minimal_init(engine, &br_sha256_vtable, &anchor->anchor, 1);
    br_x509_minimal_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
    br_x509_minimal_set_time(engine, TODAY, 0);
}

static void start_client(const struct handshake *handshake) {
    br_ssl_client_zero(&client);
    configure(&client.eng, handshake->ecdhe, "client");
    br_ssl_client_set_rsapub(&client, counted_rsa_public);
    br_ssl_engine_set_rsavrfy(&client.eng, counted_rsa_verify);
    br_ssl_engine_set_ec(&client.eng, &counted_ec);
    if (handshake->trust == TRUST_KEY) {
        static const unsigned char other[br_sha1_SIZE];
        pinned_init(&pinned, handshake->other_trust ? other : fingerprint);
        br_ssl_engine_set_x509(&client.eng, &pinned.vtable);
    } else {
        const struct anchor *trusted = handshake->other_trust             ? &client_issuer
                                       : handshake->trust == TRUST_ISSUER ? &issuer
                                                                          : &root;
        trust_chain(&client_chain_engine, trusted);
        br_x509_minimal_set_rsa(&client_chain_engine, counted_rsa_verify);
        br_ssl_engine_set_x509(&client.eng, &client_chain_engine.vtable);
    }
    if (handshake->own_key)
        br_ssl_client_set_single_ec(&client, &client_certificate, 1,
                                    br_skey_decoder_get_ec(&client_key), BR_KEYTYPE_SIGN,
                                    BR_KEYTYPE_EC, &br_ec_p256_m15, counted_sign);
    br_ssl_engine_set_buffers_bidi(&client.eng, client_in, sizeof client_in, client_out,
                                   sizeof client_out);
}

static void start_server(const struct handshake *handshake) {
    const struct tw_der *given = &tw_server_chain[0];
    if (given->size > sizeof leaf_bytes)
        crash(RESET_ASSERT, "a certificate longer than leaf_bytes", (uint32_t)given->size);
    memcpy(leaf_bytes, given->bytes, given->size);
    leaf_bytes[given->size - 1] ^= handshake->forged; /* the signature stands last */
    br_ssl_server_zero(&server);
    configure(&server.eng, handshake->ecdhe, "server");
    br_ssl_engine_set_ec(&server.eng, &br_ec_p256_m15);
    br_ssl_server_set_single_rsa(&server, server_chain, server_chain_size,
                                 br_skey_decoder_get_rsa(&server_key),
                                 handshake->ecdhe ? BR_KEYTYPE_SIGN : BR_KEYTYPE_KEYX,
                                 br_rsa_i15_private, br_rsa_i15_pkcs1_sign);
    if (handshake->own_key) {
        trust_chain(&server_chain_engine, &client_issuer);
        br_x509_minimal_set_ecdsa(&server_chain_engine, &br_ec_p256_m15, br_ecdsa_i15_vrfy_asn1);
        br_ssl_engine_set_x509(&server.eng, &server_chain_engine.vtable);
        br_ssl_engine_set_ecdsa(&server.eng, br_ecdsa_i15_vrfy_asn1);
        br_ssl_server_set_trust_anchor_names_alt(&server, &client_issuer.anchor, 1);
    }
    br_ssl_engine_set_buffers_bidi(&server.eng, server_in, sizeof server_in, server_out,
                                   sizeof server_out);
    br_ssl_server_reset(&server);
}

/* Calls the client: counts its cycles, and how far below here its stack reaches. */
static void call_client(void (*part)(br_ssl_engine_context *, size_t), size_t size,
                        struct outcome *outcome) {
    uint32_t *here;
    __asm__("mov %0, a1" : "=a"(here));
    for (volatile uint32_t *at = __heap_start; at < here; at++)
        *at = PAINT;
    uint32_t since = cpu_cycles();
    part(&client.eng, size);
    outcome->cycles += cpu_cycles() - since;
    const uint32_t *lowest = __heap_start;
    while (lowest < here && *lowest == PAINT)
        lowest++;
    uint32_t depth = (uint32_t)here - (uint32_t)lowest;
    if (depth > outcome->stack_bytes)
        outcome->stack_bytes = depth;
}

static void reset_client(br_ssl_engine_context *engine, size_t size) {
    (void)engine;
    (void)size;
    br_ssl_client_reset(&client, NAME, 0);
}

static void carry(br_ssl_engine_context *from, br_ssl_engine_context *to, struct outcome *outcome) {
    size_t there, room;
    unsigned char *record = br_ssl_engine_sendrec_buf(from, &there);
    unsigned char *target = br_ssl_engine_recvrec_buf(to, &room);
    size_t size = there < room ? there : room;
    memcpy(target, record, size);
    if (from == &client.eng) {
        outcome->sent_bytes += size;
        br_ssl_engine_recvrec_ack(to, size);
        call_client(br_ssl_engine_sendrec_ack, size, outcome);
    } else {
        outcome->received_bytes += size;
        call_client(br_ssl_engine_recvrec_ack, size, outcome);
        br_ssl_engine_sendrec_ack(from, size);
    }
}

struct outcome peers_shake_hands(const struct handshake *handshake) {
    struct outcome outcome = {
        .context_bytes = sizeof client,
        .buffer_bytes = sizeof client_in + sizeof client_out,
        .decoder_bytes = handshake->trust == TRUST_KEY ? sizeof pinned : sizeof client_chain_engine,
    };
    memset(counts, 0, sizeof counts);
    start_client(handshake);
    start_server(handshake);
    call_client(reset_client, 0, &outcome);
    for (;;) {
        unsigned of_client = br_ssl_engine_current_state(&client.eng);
        unsigned of_server = br_ssl_engine_current_state(&server.eng);
        if (of_client & BR_SSL_SENDREC && of_server & BR_SSL_RECVREC)
            carry(&client.eng, &server.eng, &outcome);
        else if (of_server & BR_SSL_SENDREC && of_client & BR_SSL_RECVREC)
            carry(&server.eng, &client.eng, &outcome);
        else
            break;
    }
    bool complete = br_ssl_engine_current_state(&client.eng) & BR_SSL_SENDAPP &&
                    br_ssl_engine_current_state(&server.eng) & BR_SSL_SENDAPP;
    outcome.client_error = complete ? 0 : br_ssl_engine_last_error(&client.eng);
    outcome.server_error = complete ? 0 : br_ssl_engine_last_error(&server.eng);
    if (!complete && !outcome.client_error && !outcome.server_error)
        outcome.client_error = -1; /* neither has anything to say */
    return outcome;
}
