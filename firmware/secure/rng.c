#include "rng.h"

#include <string.h>

#include "core/util/random.h"
#include "resumption.h"

#if TW_TLS_MOST > 12
#include "psa/crypto.h"
#endif

mbedtls_ctr_drbg_context tw_rng;
static bool chance_started;

struct source {
    const struct tw_session_host *host;
    const struct tw_config *config;
};

static int seed_bytes(void *ctx, unsigned char *out, size_t size) {
    const struct source *source = ctx;
    if (source->host->entropy)
        return source->host->entropy(out, size) ? 0 : MBEDTLS_ERR_CTR_DRBG_ENTROPY_SOURCE_FAILED;
    struct tw_random random;
    tw_random_seed(&random, source->config->seed ^ 0x746C7331u); /* a separate stream: "tls1" */
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(tw_random_next(&random) >> 24);
    return 0;
}

int tw_rng_start(const struct tw_session_host *host, const struct tw_config *config) {
    static struct source source; /* the generator reseeds when its interval ends */
    if (chance_started)
        return 0;
    source = (struct source){.host = host, .config = config};
    unsigned char own[sizeof config->id + sizeof(uint32_t)];
    size_t size = strlen(config->id);
    uint32_t starts = tw_resumption_starts();
    memcpy(own, config->id, size);
    if (starts) { /* else the seed would give each start the same numbers */
        memcpy(own + size, &starts, sizeof starts);
        size += sizeof starts;
    }
    mbedtls_ctr_drbg_init(&tw_rng);
    int error = mbedtls_ctr_drbg_seed(&tw_rng, seed_bytes, &source, own, size);
    if (!host->entropy) /* the seed holds no further entropy */
        mbedtls_ctr_drbg_set_reseed_interval(&tw_rng, INT32_MAX);
    chance_started = !error;
    return error;
}

#if TW_TLS_MOST > 12
/* PSA's source of random bytes is the session's generator. */
psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *context,
                                             uint8_t *out, size_t size, size_t *given) {
    (void)context;
    *given = size;
    return mbedtls_ctr_drbg_random(&tw_rng, out, size) ? PSA_ERROR_INSUFFICIENT_ENTROPY
                                                       : PSA_SUCCESS;
}
#endif
