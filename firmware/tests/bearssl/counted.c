#include "counted.h"

#include "cpu.h"

struct count counts[COUNTED_KINDS];

static void count(enum counted kind, uint32_t since) {
    counts[kind].calls++;
    counts[kind].cycles += cpu_cycles() - since;
}

uint32_t counted_rsa_verify(const unsigned char *x, size_t size, const unsigned char *oid,
                            size_t hash_size, const br_rsa_public_key *key, unsigned char *hash) {
    uint32_t since = cpu_cycles();
    uint32_t good = br_rsa_i15_pkcs1_vrfy(x, size, oid, hash_size, key, hash);
    count(COUNTED_RSA, since);
    return good;
}

uint32_t counted_rsa_public(unsigned char *x, size_t size, const br_rsa_public_key *key) {
    uint32_t since = cpu_cycles();
    uint32_t good = br_rsa_i15_public(x, size, key);
    count(COUNTED_RSA, since);
    return good;
}

size_t counted_sign(const br_ec_impl *curve, const br_hash_class *hash, const void *value,
                    const br_ec_private_key *key, void *signature) {
    uint32_t since = cpu_cycles();
    size_t size = br_ecdsa_i15_sign_asn1(curve, hash, value, key, signature);
    count(COUNTED_SIGN, since);
    return size;
}

static const unsigned char *generator(int curve, size_t *size) {
    return br_ec_p256_m15.generator(curve, size);
}

static const unsigned char *order(int curve, size_t *size) {
    return br_ec_p256_m15.order(curve, size);
}

static size_t xoff(int curve, size_t *size) {
    return br_ec_p256_m15.xoff(curve, size);
}

static uint32_t mul(unsigned char *point, size_t size, const unsigned char *x, size_t x_size,
                    int curve) {
    uint32_t since = cpu_cycles();
    uint32_t good = br_ec_p256_m15.mul(point, size, x, x_size, curve);
    count(COUNTED_ECDHE, since);
    return good;
}

static size_t mulgen(unsigned char *result, const unsigned char *x, size_t size, int curve) {
    uint32_t since = cpu_cycles();
    size_t written = br_ec_p256_m15.mulgen(result, x, size, curve);
    count(COUNTED_ECDHE, since);
    return written;
}

static uint32_t muladd(unsigned char *a, const unsigned char *b, size_t size,
                       const unsigned char *x, size_t x_size, const unsigned char *y, size_t y_size,
                       int curve) {
    return br_ec_p256_m15.muladd(a, b, size, x, x_size, y, y_size, curve);
}

const br_ec_impl counted_ec = {
    .supported_curves = (uint32_t)1 << BR_EC_secp256r1,
    .generator = generator,
    .order = order,
    .xoff = xoff,
    .mul = mul,
    .mulgen = mulgen,
    .muladd = muladd,
};
