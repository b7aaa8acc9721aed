#include "arguments.h"

#include <string.h>

#define KEY "arguments"
#define WORD KEY "="

static char own_name[] = "firmware";

/* The start of the word `arguments=` in `line`, or NULL. */
static char *find_word(char *line) {
    for (char *at = line; (at = strstr(at, WORD)); at++)
        if (at == line || at[-1] == ' ')
            return at;
    return NULL;
}

static bool split(char *text, struct arguments *arguments) {
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        if (arguments->count == ARGUMENTS_MAX)
            return false;
        arguments->values[arguments->count++] = text;
        text += strcspn(text, " ");
        if (*text)
            *text++ = 0;
    }
    return true;
}

bool arguments_read(char *line, struct tw_config *config, struct arguments *arguments, char *key,
                    size_t key_size) {
    *arguments = (struct arguments){.count = 1, .values = {own_name}};
    char *word = find_word(line);
    if (word)
        *word = 0;
    tw_config_defaults(config);
    if (!tw_config_parse(config, line, key, key_size))
        return false;
    if (!word || split(word + sizeof WORD - 1, arguments))
        return true;
    strncpy(key, KEY, key_size - 1);
    key[key_size - 1] = 0;
    return false;
}
