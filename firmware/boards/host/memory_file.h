/*
 * Memory that outlives a restart of the process: a file, as large as the ESP8266's RTC memory for
 * programs. It holds a session of TLS (secure/resumption_record.h), and a run that sleeps
 * (core/app/app.h).
 */
#ifndef TW_MEMORY_FILE_H
#define TW_MEMORY_FILE_H

#include "core/engine.h"

/* Uses the file of this name, NULL for none. After deep sleep the process begins anew with `argv`,
 * and its clock, whose zero is `boot_us`, goes on. */
void memory_file_use(const char *path, char **argv, tw_time *boot_us);

#endif
