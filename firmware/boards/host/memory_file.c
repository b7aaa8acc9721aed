#define _DEFAULT_SOURCE

#include "memory_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/app/app.h"
#include "secure/resumption_record.h"

#define RUN_AT 0
#define KEPT_AT 128
#define ENGINE_AT 512

struct record {
    tw_time until; /* 0: no run sleeps */
    uint8_t run[TW_RUN_BYTES];
};

static const char *file;
static char **arguments;
static tw_time *zero_us;

void memory_file_use(const char *path, char **argv, tw_time *boot_us) {
    file = path;
    arguments = argv;
    zero_us = boot_us;
}

static void give_up(void) {
    fprintf(stderr, "thinwire: error: memory: ");
    perror(file);
    exit(2);
}

static int open_file(void) {
    int fd = open(file, O_RDWR | O_CREAT, 0600); /* it holds secrets */
    if (fd < 0)
        give_up();
    return fd;
}

static void write_at(off_t at, const void *data, size_t size) {
    int fd = open_file();
    if (pwrite(fd, data, size, at) != (ssize_t)size)
        give_up();
    close(fd);
}

/* What the file lacks is 0. */
static void read_at(off_t at, void *out, size_t size) {
    int fd = open_file();
    memset(out, 0, size);
    if (pread(fd, out, size, at) < 0)
        give_up();
    close(fd);
}

bool tw_board_recall(uint8_t out[TW_RESUMPTION_BYTES]) {
    if (file)
        read_at(KEPT_AT, out, TW_RESUMPTION_BYTES);
    return file != NULL;
}

void tw_board_keep(const uint8_t data[TW_RESUMPTION_BYTES]) {
    write_at(KEPT_AT, data, TW_RESUMPTION_BYTES);
}

bool tw_board_recall_engine(uint8_t out[TW_KEPT_BYTES]) {
    if (file)
        read_at(ENGINE_AT, out, TW_KEPT_BYTES);
    return file != NULL;
}

void tw_board_keep_engine(const uint8_t data[TW_KEPT_BYTES]) {
    if (file)
        write_at(ENGINE_AT, data, TW_KEPT_BYTES);
}

static tw_time host_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (tw_time)t.tv_sec * 1000000u + (tw_time)t.tv_nsec / 1000u;
}

void tw_board_sleep(tw_time until, const void *run, size_t size) {
    struct record record = {0};
    tw_time now = host_us() - *zero_us, pause = until > now ? until - now : 0;
    nanosleep(&(struct timespec){.tv_sec = (time_t)(pause / 1000000u),
                                 .tv_nsec = (long)(pause % 1000000u) * 1000},
              NULL);
    record.until = host_us() - *zero_us;
    memcpy(record.run, run, size);
    write_at(RUN_AT, &record, sizeof record);
    execv("/proc/self/exe", arguments);
    give_up();
    abort();
}

bool tw_board_woken(void *run, size_t size) {
    struct record record;
    const struct record none = {0};
    if (!file)
        return false;
    read_at(RUN_AT, &record, sizeof record);
    if (!record.until)
        return false;
    write_at(RUN_AT, &none, sizeof none); /* one that is ended is no awakening */
    memcpy(run, record.run, size);
    *zero_us -= record.until;
    return true;
}
