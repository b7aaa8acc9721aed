/*
 * The part of a session that a device keeps for its next connection to the same peer (resume=1): in
 * RAM and, where the board has it, in memory that survives a restart (resumption_record.h). The
 * peer's certificate is not kept: knowing the session's secret authenticates the peer again.
 */
#ifndef TW_RESUMPTION_H
#define TW_RESUMPTION_H

#include "core/config.h"
#include "core/engine.h"
#include "mbedtls/ssl.h"

/* Loads the session that survived a restart and erases it from that memory; once per start. Returns
 * the result as one word of the log, or NULL where there is nothing to load. */
const char *tw_resumption_recall(const struct tw_config *config, enum tw_transport transport);
/* The number of earlier starts that this memory has counted. */
uint32_t tw_resumption_starts(void);
/* Keeps the session of this connection and replaces an older one. `bytes`: size of the record for
 * the memory that survives a restart; 0 if the board has none. Returns false if it does not fit. */
bool tw_resumption_keep(const mbedtls_ssl_context *ssl, size_t *bytes);
bool tw_resumption_any(void);
/* Offers the session to the peer. A ticket of TLS 1.3 is for one use (RFC 8446, appendix C.4). */
int tw_resumption_offer(mbedtls_ssl_context *ssl, const struct tw_config *config);
void tw_resumption_drop(void);

#endif
