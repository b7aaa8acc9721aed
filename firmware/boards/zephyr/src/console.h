/*
 * The console: the configuration line in, the log out.
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stddef.h>

/* Reads one line, without its end, into `line`; longer lines are cut. Calls `idle` about once a
 * second while nothing arrives. */
void console_read_line(char *line, size_t size, void (*idle)(void));
void console_write_line(const char *line, size_t size);

#endif
