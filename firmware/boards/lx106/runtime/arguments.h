/*
 * The configuration line of a firmware of the user's own: words of the board's configuration
 * (core/config_keys.h), then `arguments=` and the firmware's arguments, divided by blanks.
 */
#ifndef RUNTIME_ARGUMENTS_H
#define RUNTIME_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/config.h"

#define ARGUMENTS_MAX 32

struct arguments {
    int count;
    char *values[ARGUMENTS_MAX + 1]; /* values[0] is "firmware"; NULL behind the last */
};

/* Reads `line`, which it cuts into pieces and which must outlive `arguments`. Returns true, or
 * false with the offending key in `key` (at most key_size bytes with the NUL). */
bool arguments_read(char *line, struct tw_config *config, struct arguments *arguments, char *key,
                    size_t key_size);

#endif
