/*
 * What a device keeps of a session for its next connection to the same peer (resume=1): in RAM,
 * and in memory that outlives a restart where the board has some (resumption_record.h). What proved
 * the peer is not kept: that it knows the session's secret proves it again.
 */
#ifndef TW_RESUMPTION_H
#define TW_RESUMPTION_H

#include "core/config.h"
#include "core/engine.h"
#include "mbedtls/ssl.h"

/* Takes up what outlived a restart, once a start; it is gone from that memory then. Returns what
 * came of it in one word of the log, or NULL where nothing was looked for. */
const char *tw_resumption_recall(const struct tw_config *config, enum tw_transport transport);
/* How often the device has started before, as far as that memory knows. */
uint32_t tw_resumption_starts(void);
/* Keeps the session of this connection in the place of an older one. `bytes`: of what went to the
 * memory that outlives a restart, or would have; 0: there is none. False: it does not fit. */
bool tw_resumption_keep(const mbedtls_ssl_context *ssl, size_t *bytes);
bool tw_resumption_any(void);
/* Offers it to the peer. A ticket of TLS 1.3 is for one use (RFC 8446, appendix C.4). */
int tw_resumption_offer(mbedtls_ssl_context *ssl, const struct tw_config *config);
void tw_resumption_drop(void);

#endif
