#include "keys.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/config.h"
#include "core/config_keys.h"
#include "core/engine.h"

struct row {
    const char *name, *meaning;
    enum tw_key_kind kind;
    uint32_t low, high;
    size_t offset, size;
};

#define ROW(kind, field, low, high, meaning, ...)                                                  \
    {#field,                                                                                       \
     meaning,                                                                                      \
     TW_##kind,                                                                                    \
     low,                                                                                          \
     high,                                                                                         \
     offsetof(struct tw_config, field),                                                            \
     sizeof(((struct tw_config *)0)->field)},

static const struct row rows[] = {TW_CONFIG_KEYS(ROW)};

static void print_words(const char *const *words, const char *between) {
    for (size_t i = 0; words[i]; i++)
        printf("%s%s", i ? between : "", words[i]);
}

static const char *const *words_of(enum tw_key_kind kind) {
    switch (kind) {
    case TW_ROLE:
        return tw_config_roles;
    case TW_PACE:
        return tw_config_paces;
    case TW_TOPIC_TYPE:
        return tw_config_topic_types;
    case TW_SECURITY:
        return tw_config_securities;
    case TW_ENTROPY:
        return tw_config_entropies;
    case TW_QUIRKS:
        return tw_config_quirks;
    default:
        return NULL;
    }
}

static void print_values(const struct row *row) {
    switch (row->kind) {
    case TW_TEXT:
        printf("%" PRIu32 " to %zu characters", row->low, row->size - 1);
        break;
    case TW_NUMBER:
        printf("%" PRIu32 " to %" PRIu32, row->low, row->high);
        break;
    case TW_SIGNED:
        printf("-%" PRIu32 " to %" PRIu32, row->low, row->high);
        break;
    case TW_SIZES:
        printf("%" PRIu32 " to %" PRIu32 ", up to %zu of them", row->low, row->high,
               row->size / sizeof(uint16_t));
        break;
    case TW_BOOLEAN:
        printf("0 or 1");
        break;
    case TW_ADDRESS:
        printf("IPv4 address");
        break;
    case TW_MAC:
        printf("MAC address");
        break;
    default:
        print_words(words_of(row->kind), ", ");
    }
}

static uint32_t number_at(const uint8_t *field, size_t size) {
    if (size == 1)
        return *field;
    if (size == 2)
        return *(const uint16_t *)(const void *)field;
    return *(const uint32_t *)(const void *)field;
}

static void print_default(const struct row *row, const uint8_t *field) {
    uint32_t value;
    switch (row->kind) {
    case TW_TEXT:
        printf("%s", (const char *)field);
        break;
    case TW_SIGNED:
        printf("%d", *(const int8_t *)field);
        break;
    case TW_BOOLEAN:
        printf("%d", *(const bool *)(const void *)field);
        break;
    case TW_ADDRESS:
        value = number_at(field, row->size);
        if (value)
            printf("%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu32, value >> 24, value >> 16 & 255,
                   value >> 8 & 255, value & 255);
        break;
    case TW_MAC:
        for (int i = 0; i < 6; i++)
            printf("%s%02x", i ? ":" : "", field[i]);
        break;
    case TW_ROLE:
    case TW_PACE:
    case TW_TOPIC_TYPE:
    case TW_SECURITY:
    case TW_ENTROPY:
        printf("%s", words_of(row->kind)[number_at(field, row->size)]);
        break;
    case TW_QUIRKS:
    case TW_SIZES:
        printf("none"); /* nothing of these is a default */
        break;
    default:
        printf("%" PRIu32, number_at(field, row->size));
    }
}

void print_keys(void) {
    struct tw_config config;
    tw_config_defaults(&config);
    printf("| Key | Values | Default | Meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("| `%s` | ", rows[i].name);
        print_values(&rows[i]);
        printf(" | ");
        print_default(&rows[i], (const uint8_t *)&config + rows[i].offset);
        printf(" | %s |\n", rows[i].meaning);
    }
}
