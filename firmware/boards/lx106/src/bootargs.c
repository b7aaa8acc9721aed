#include "bootargs.h"

/* Xtensa Linux boot protocol: each record is a word with tag (low half) and data bytes (high half),
 * then the data. */
#define TAG_COMMAND_LINE 0x1001u
#define TAG_LAST 0x7E0Bu

static char no_text[1];

char *bootargs_text(const uint32_t *records) {
    for (;;) {
        uint32_t tag = *records & 0xFFFFu, bytes = *records >> 16;
        if (tag == TAG_COMMAND_LINE)
            return (char *)(records + 1);
        if (tag == TAG_LAST)
            return no_text;
        records += 1u + bytes / sizeof *records;
    }
}
