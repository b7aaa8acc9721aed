/* The configuration parser and the payload reader: text of any kind. */
#include <stdlib.h>
#include <string.h>

#include "core/app/workload.h"
#include "core/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tw_config config;
    struct tw_payload payload;
    char key[8], *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    tw_config_defaults(&config);
    if (!tw_config_parse(&config, text, key, sizeof key) && strlen(key) >= sizeof key)
        abort();
    tw_payload_read(data, size, &payload);
    tw_config_too_large(&config, TW_SEGMENT_MAX);
    if (strlen(config.id) >= sizeof config.id || strlen(payload.id) >= sizeof payload.id)
        abort();
    free(text);
    return 0;
}
