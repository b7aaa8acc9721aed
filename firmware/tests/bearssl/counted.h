/*
 * The primitives that the client calls, and how many cycles of the counter each kind took.
 */
#ifndef COUNTED_H
#define COUNTED_H

#include <bearssl.h>

enum counted { COUNTED_RSA, COUNTED_ECDHE, COUNTED_SIGN, COUNTED_KINDS };

struct count {
    uint32_t calls;
    uint32_t cycles;
};

extern struct count counts[COUNTED_KINDS];

/* RSA by a public key, with words of 15 bits: what verifies and what encrypts. */
uint32_t counted_rsa_verify(const unsigned char *x, size_t size, const unsigned char *oid,
                            size_t hash_size, const br_rsa_public_key *key, unsigned char *hash);
uint32_t counted_rsa_public(unsigned char *x, size_t size, const br_rsa_public_key *key);
/* br_ec_p256_m15. */
extern const br_ec_impl counted_ec;
size_t counted_sign(const br_ec_impl *curve, const br_hash_class *hash, const void *value,
                    const br_ec_private_key *key, void *signature);

#endif
