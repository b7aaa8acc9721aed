/*
 * The random numbers of the security layer, in the form that mbedTLS requests them.
 */
#ifndef TW_CHANCE_H
#define TW_CHANCE_H

#include "mbedtls/ctr_drbg.h"
#include "session.h"

extern mbedtls_ctr_drbg_context tw_rng;

/* Seeds the generator, once per start, from `host` or from config->seed. Returns an error of
 * mbedTLS. */
int tw_rng_start(const struct tw_session_host *host, const struct tw_config *config);

#endif
