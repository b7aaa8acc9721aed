#include "config.h"

#include <string.h>

#include "config_keys.h"
#include "core/util/bytes.h"
#include "engine.h"

/* One key: where its value goes, of which kind and size, and the numbers allowed. */
struct key {
    const char *name;
    uint16_t offset;
    uint8_t kind, size;
    uint32_t low, high;
};

#define KEY_ROW(kind, field, low, high, meaning, ...)                                              \
    {#field,    offsetof(struct tw_config, field),                                                 \
     TW_##kind, sizeof(((struct tw_config *)0)->field),                                            \
     low,       high},
#define KEY_DEFAULT(kind, field, low, high, meaning, ...) .field = __VA_ARGS__,

static const struct key keys[] = {TW_CONFIG_KEYS(KEY_ROW)};

const char *const tw_config_roles[] = {"publish", "subscribe", "echo", "serve", NULL};
const char *const tw_config_paces[] = {"interval", "answer", NULL};
const char *const tw_config_topic_types[] = {"normal", "predefined", "short", NULL};
const char *const tw_config_securities[] = {"none", "chain", "pinned", "psk", NULL};
const char *const tw_config_entropies[] = {"seed", "board", NULL};
const char *const tw_config_quirks[] = {"first_message_per_segment", "byte_at_a_time_read",
                                        "window_each_40_ms", NULL};

void tw_config_defaults(struct tw_config *config) {
    *config = (struct tw_config){TW_CONFIG_KEYS(KEY_DEFAULT)};
}

const char *tw_config_too_large(const struct tw_config *config, size_t most) {
    if (config->payload_bytes > most)
        return "payload_bytes";
    for (size_t i = 0; i < TW_STEPS_MAX && config->payload_steps[i]; i++)
        if (config->payload_steps[i] > most)
            return "payload_steps";
    return NULL;
}

/* The text [at, end) as an unsigned decimal; false when it is none or above `high`. */
static bool read_number(const char *at, const char *end, uint32_t high, uint32_t *value) {
    uint32_t v = 0;
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        uint32_t digit = (uint32_t)(*at - '0');
        if (v > high / 10 || (v == high / 10 && digit > high % 10))
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

static bool read_address(const char *at, const char *end, uint32_t *value) {
    uint32_t address = 0;
    for (int i = 0; i < 4; i++) {
        const char *dot = i < 3 ? memchr(at, '.', (size_t)(end - at)) : end;
        uint32_t byte;
        if (!dot || !read_number(at, dot, 255, &byte))
            return false;
        address = address << 8 | byte;
        at = dot + 1;
    }
    *value = address;
    return true;
}

static bool read_mac(const char *at, const char *end, uint8_t *mac) {
    if (end - at != 17)
        return false;
    for (int i = 0; i < 6; i++, at += 3) {
        int high = tw_hex_digit(at[0]), low = tw_hex_digit(at[1]);
        if (high < 0 || low < 0 || (i < 5 && at[2] != ':'))
            return false;
        mac[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The place of the word [at, end) in `names`, or -1. */
static int find_name(const char *const *names, const char *at, const char *end) {
    size_t size = (size_t)(end - at);
    for (int i = 0; names[i]; i++)
        if (strlen(names[i]) == size && !memcmp(names[i], at, size))
            return i;
    return -1;
}

/* The words of a kind whose value is one of several. */
static const char *const *words_of(uint8_t kind) {
    switch (kind) {
    case TW_ROLE:
        return tw_config_roles;
    case TW_PACE:
        return tw_config_paces;
    case TW_TOPIC_TYPE:
        return tw_config_topic_types;
    case TW_SECURITY:
        return tw_config_securities;
    default:
        return tw_config_entropies;
    }
}

static bool read_quirks(const char *at, const char *end, uint8_t *set) {
    *set = 0;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        int quirk = find_name(tw_config_quirks, at, stop);
        if (quirk < 0)
            return false;
        *set = (uint8_t)(*set | 1u << quirk);
        at = comma ? comma + 1 : end;
    }
    return true;
}

/* Numbers with commas between them, at most as many as the field holds. */
static bool read_sizes(const struct key *key, const char *at, const char *end, uint16_t *out) {
    size_t most = key->size / sizeof *out;
    memset(out, 0, key->size);
    for (size_t i = 0; at <= end; i++) {
        const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
        uint32_t number;
        if (i == most || !read_number(at, comma ? comma : end, key->high, &number) ||
            number < key->low)
            return false;
        out[i] = (uint16_t)number;
        at = comma ? comma + 1 : end + 1;
    }
    return true;
}

static bool read_text(const struct key *key, const char *at, const char *end, char *out) {
    size_t size = (size_t)(end - at);
    if (size < key->low || size >= key->size)
        return false;
    for (size_t i = 0; i < size; i++) /* printable, and nothing that JSON must escape */
        if (at[i] <= ' ' || at[i] > '~' || at[i] == '"' || at[i] == '\\')
            return false;
    memcpy(out, at, size);
    out[size] = 0;
    return true;
}

/* Writes the value of a kind with words: each has an enum of its own. */
static bool set_word(uint8_t kind, int value, uint8_t *field) {
    void *at = field;
    switch (kind) {
    case TW_ROLE:
        *(enum tw_role *)at = (enum tw_role)value;
        break;
    case TW_PACE:
        *(enum tw_pace *)at = (enum tw_pace)value;
        break;
    case TW_TOPIC_TYPE:
        *(enum tw_topic_type *)at = (enum tw_topic_type)value;
        break;
    case TW_SECURITY:
        *(enum tw_security *)at = (enum tw_security)value;
        break;
    default:
        *(enum tw_entropy *)at = (enum tw_entropy)value;
    }
    return true;
}

static bool read_value(const struct key *key, const char *at, const char *end, uint8_t *field) {
    uint32_t number = 0;
    switch (key->kind) {
    case TW_TEXT:
        return read_text(key, at, end, (char *)field);
    case TW_ADDRESS:
        if (!read_address(at, end, &number))
            return false;
        memcpy(field, &number, sizeof number);
        return true;
    case TW_MAC:
        return read_mac(at, end, field);
    case TW_QUIRKS:
        return read_quirks(at, end, field);
    case TW_SIZES:
        return read_sizes(key, at, end, (uint16_t *)(void *)field);
    case TW_ROLE:
    case TW_PACE:
    case TW_TOPIC_TYPE:
    case TW_SECURITY:
    case TW_ENTROPY: {
        int name = find_name(words_of(key->kind), at, end);
        if (name < 0)
            return false;
        return set_word(key->kind, name, field);
    }
    case TW_SIGNED: { /* from -low to high */
        bool minus = at < end && *at == '-';
        if (!read_number(at + minus, end, minus ? key->low : key->high, &number))
            return false;
        *(int8_t *)field = (int8_t)(minus ? -(int32_t)number : (int32_t)number);
        return true;
    }
    default:
        if (!read_number(at, end, key->high, &number) || number < key->low)
            return false;
        if (key->size == 1)
            *field = (uint8_t)number;
        else if (key->size == 2)
            *(uint16_t *)(void *)field = (uint16_t)number;
        else
            memcpy(field, &number, sizeof number);
        return true;
    }
}

static bool read_word(struct tw_config *config, const char *at, const char *end) {
    const char *equals = memchr(at, '=', (size_t)(end - at));
    if (!equals)
        return false;
    size_t size = (size_t)(equals - at);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].name) == size && !memcmp(keys[i].name, at, size))
            return read_value(&keys[i], equals + 1, end, (uint8_t *)config + keys[i].offset);
    return false;
}

bool tw_config_parse(struct tw_config *config, const char *text, char *key, size_t key_size) {
    while (*text) {
        size_t blank = strspn(text, " \t\r\n");
        text += blank;
        size_t size = strcspn(text, " \t\r\n");
        if (size && !read_word(config, text, text + size)) {
            size_t shown = strcspn(text, "= \t\r\n");
            if (shown >= key_size)
                shown = key_size - 1;
            memcpy(key, text, shown);
            key[shown] = 0;
            return false;
        }
        text += size;
    }
    return true;
}
