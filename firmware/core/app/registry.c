#include "registry.h"

#include <string.h>

#define ENTRY(protocol, engine) &tw_##engine##_engine,

static const struct tw_engine *const engines[] = {TW_ENGINES(ENTRY) NULL};

const struct tw_engine *tw_engine_find(const char *name) {
    for (size_t i = 0; engines[i]; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}
