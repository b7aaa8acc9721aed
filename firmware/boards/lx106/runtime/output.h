/*
 * The standard output of a firmware: text goes to the log line by line.
 */
#ifndef RUNTIME_OUTPUT_H
#define RUNTIME_OUTPUT_H

/* Writes what is left of a line, with a line feed. */
void output_flush(void);

#endif
