/*
 * The configuration keys as a table in Markdown: for docs/firmware.md, and for whoever checks that
 * other tables agree with it.
 */
#ifndef KEYS_H
#define KEYS_H

void print_keys(void);

#endif
