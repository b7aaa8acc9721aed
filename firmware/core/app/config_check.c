#include "config_check.h"

#include <string.h>

bool tw_config_both(const struct tw_config *config) {
    return config->publish_ms && config->role == TW_ROLE_SUBSCRIBE;
}

bool tw_config_paced(const struct tw_config *config, const struct tw_engine *engine) {
    if (tw_config_both(config))
        return true;
    return engine->paced ? engine->paced(config) : config->role == TW_ROLE_PUBLISH;
}

const char *tw_config_wrong_security(const struct tw_config *config, const struct tw_board *board,
                                     const struct tw_engine *engine) {
    if (config->security == TW_SECURITY_NONE)
        return NULL;
    if (!board->secures || config->role == TW_ROLE_SERVE)
        return "security";
    if (config->entropy == TW_ENTROPY_BOARD && !board->has_entropy)
        return "entropy";
    if (config->record_bytes & (config->record_bytes - 1) ||
        (config->record_bytes && config->record_bytes < 512))
        return "record_bytes";
    if (config->own_certificate && config->security == TW_SECURITY_PSK)
        return "own_certificate";
#if TW_TLS_MOST > 12
    if (config->tls_version > 12 && engine->transport == TW_DATAGRAM)
        return "tls_version";
    if (config->tls_version > 12 && config->record_bytes) /* its limit is a constant */
        return "record_bytes";
#else
    (void)engine;
#endif
    if (config->search) /* by broadcast, which nobody can decrypt */
        return "search";
    return config->port ? NULL : "port";
}

const char *tw_config_wrong_workload(const struct tw_config *config,
                                     const struct tw_engine *engine) {
    bool both = tw_config_both(config), closed = config->pace == TW_PACE_ANSWER;
    if (config->publish_ms && (!both || strcmp(engine->name, "mqtt")))
        return "publish_ms";
    if (closed && (!engine->answers || config->role != TW_ROLE_PUBLISH))
        return "pace";
    if (tw_config_paced(config, engine) && !closed && !both && !config->interval_ms)
        return "interval_ms"; /* messages without a pause, for ever */
    if (config->payload_steps[0] && !config->messages)
        return "payload_steps"; /* a share of how many? */
    if (config->processing_steps[0] && !config->processing_ms)
        return "processing_steps"; /* what do they follow? */
    return NULL;
}
