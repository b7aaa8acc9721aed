/*
 * Combinations of configuration keys that the application cannot serve. What one protocol alone
 * cannot do, its engine refuses in `init`.
 */
#ifndef TW_CONFIG_CHECK_H
#define TW_CONFIG_CHECK_H

#include "app.h"

/* True for a subscriber that publishes, too. */
bool tw_config_both(const struct tw_config *config);
/* True when the send schedule drives the role. */
bool tw_config_paced(const struct tw_config *config, const struct tw_engine *engine);

/* The key of what cannot be secured as asked, or NULL. */
const char *tw_config_wrong_security(const struct tw_config *config, const struct tw_board *board,
                                     const struct tw_engine *engine);
/* The key of a workload that has no end or no meaning, or NULL. */
const char *tw_config_wrong_workload(const struct tw_config *config,
                                     const struct tw_engine *engine);

#endif
