#include "pinned.h"

#include <string.h>

static void start_chain(const br_x509_class **engine, const char *server_name) {
    struct pinned *pinned = (struct pinned *)engine;
    (void)server_name;
    pinned->first_done = false;
    br_x509_decoder_init(&pinned->decoder, 0, 0);
}

static void start_certificate(const br_x509_class **engine, uint32_t length) {
    (void)engine;
    (void)length;
}

static void append(const br_x509_class **engine, const unsigned char *data, size_t size) {
    struct pinned *pinned = (struct pinned *)engine;
    if (!pinned->first_done)
        br_x509_decoder_push(&pinned->decoder, data, size);
}

static void end_certificate(const br_x509_class **engine) {
    ((struct pinned *)engine)->first_done = true;
}

static unsigned end_chain(const br_x509_class **engine) {
    struct pinned *pinned = (struct pinned *)engine;
    const br_x509_pkey *key = br_x509_decoder_get_pkey(&pinned->decoder);
    if (!key || key->key_type != BR_KEYTYPE_RSA)
        return BR_ERR_X509_WRONG_KEY_TYPE;
    unsigned char found[br_sha1_SIZE];
    pinned_fingerprint(&key->key.rsa, found);
    return memcmp(found, pinned->fingerprint, sizeof found) ? BR_ERR_X509_NOT_TRUSTED : 0;
}

static const br_x509_pkey *get_pkey(const br_x509_class *const *engine, unsigned *usages) {
    if (usages)
        *usages = BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN;
    return &((const struct pinned *)engine)->decoder.pkey;
}

void pinned_fingerprint(const br_rsa_public_key *key, unsigned char out[br_sha1_SIZE]) {
    br_sha1_context sha1;
    br_sha1_init(&sha1);
    br_sha1_update(&sha1, key->e, key->elen);
    br_sha1_update(&sha1, key->n, key->nlen);
    br_sha1_out(&sha1, out);
}

void pinned_init(struct pinned *pinned, const unsigned char *fingerprint) {
    static const br_x509_class vtable = {
        sizeof(struct pinned), start_chain, start_certificate, append,
        end_certificate,       end_chain,   get_pkey,
    };
    pinned->vtable = &vtable;
    pinned->fingerprint = fingerprint;
}
