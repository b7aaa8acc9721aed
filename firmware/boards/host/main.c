/*
 * thinwire-host KEY=VALUE... [memory=FILE] [clock_start_us=N]: the firmware as a Linux process.
 * Prints the board log; ends with the run (exit status 0) or on a configuration error (exit status
 * 2). What a board keeps over a restart (resume=1, deep_sleep=1) is in the file. Its clock starts
 * at N.
 *
 * thinwire-host --keys: the keys, their values, defaults and meanings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "keys.h"
#include "memory_file.h"
#include "posix_net.h"

#define CONFIG_BYTES 2048

static void print_line(void *ctx, const char *line, size_t size) {
    (void)ctx;
    printf("%.*s\n", (int)size, line);
    fflush(stdout);
}

bool tw_board_random(uint8_t *out, size_t size) {
    return getrandom(out, size, 0) == (ssize_t)size;
}

int main(int argc, char **argv) {
    static char text[CONFIG_BYTES];
    static const char memory[] = "memory=", clock_start[] = "clock_start_us=";
    const char *file = NULL;
    char *rest = "";
    tw_time start_us = 0;
    size_t used = 0;
    if (argc == 2 && !strcmp(argv[1], "--keys")) {
        print_keys();
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        size_t size = strlen(argv[i]);
        if (!strncmp(argv[i], memory, sizeof memory - 1)) {
            file = argv[i] + sizeof memory - 1;
            continue;
        }
        if (!strncmp(argv[i], clock_start, sizeof clock_start - 1)) {
            start_us = strtoull(argv[i] + sizeof clock_start - 1, &rest, 10);
            if (*rest) {
                fprintf(stderr, "thinwire: error: clock_start_us: '%s' is no number\n", rest);
                return 2;
            }
            continue;
        }
        if (used + size + 2 > sizeof text) {
            fprintf(stderr, "thinwire: error: arguments: too long; at most %d bytes\n",
                    CONFIG_BYTES - 2);
            return 2;
        }
        memcpy(text + used, argv[i], size);
        used += size;
        text[used++] = ' ';
    }
    static struct posix_net net;
    struct tw_board board;
    posix_net_init(&net, &board);
    board.log = print_line;
    net.boot_us -= start_us;
    memory_file_use(file, argv, &net.boot_us);
    static const struct tw_secure_board own = {.entropy = tw_board_random};
    struct tw_app *app = tw_app_start(tw_secure_board(&board, &own), text, "start", "host");
    const struct tw_config *config = tw_app_config(app);
    if (!config) {
        fprintf(stderr, "thinwire: error: arguments: see ev=config_error; "
                        "thinwire-host --keys lists keys and values\n");
        return 2;
    }
    if (config->deep_sleep && !file) {
        fprintf(stderr, "thinwire: error: arguments: deep_sleep=1 wants memory=FILE\n");
        return 2;
    }
    if (config->dhcp || config->peer_name[0] || config->time_server[0]) {
        fprintf(stderr, "thinwire: error: arguments: dhcp, peer_name and time_server are for the "
                        "board lx106; this host has an address, and asks nobody\n");
        return 2;
    }
    tw_app_up(app, config->ip);
    if (posix_net_run(&net, app)) {
        perror("thinwire: error: poll");
        return 1;
    }
    return 0;
}
