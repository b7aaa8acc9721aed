/*
 * A server that is known by its key: an X.509 engine of BearSSL's that decodes the first
 * certificate and compares the SHA-1 of its RSA key with a fingerprint. Names, dates and
 * signatures do not count.
 */
#ifndef PINNED_H
#define PINNED_H

#include <bearssl.h>
#include <stdbool.h>

struct pinned {
    const br_x509_class *vtable; /* first: BearSSL's pointer to it is one to all of this */
    const unsigned char *fingerprint;
    bool first_done;
    br_x509_decoder_context decoder;
};

void pinned_init(struct pinned *pinned, const unsigned char *fingerprint);
void pinned_fingerprint(const br_rsa_public_key *key, unsigned char out[br_sha1_SIZE]);

#endif
