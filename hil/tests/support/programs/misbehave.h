/* What a foreign program of the tests does wrong, by name: misbehave(NAME) after its first message.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile unsigned long turns;

__attribute__((noinline)) static void spin_for_ever(void) {
    for (;;)
        turns++;
}

__attribute__((noinline)) static void spin(void) {
    spin_for_ever();
    turns++; /* no tail call */
}

static void fill(const char *name) {
    static char piece[1 << 20];
    int file = open(name, O_WRONLY | O_CREAT, 0644);
    for (int number = 0; number < 4096; number++)
        if (write(file, piece, sizeof(piece)) < 0)
            usleep(100000);
}

static void print(void) {
    for (long number = 0;; number++)
        printf("line %ld of very many that this program prints\n", number);
}

static void fork_for_ever(void) {
    for (;;)
        if (fork() < 0)
            sleep(1);
}

static void hoard(void) {
    for (;;)
        memset(malloc(1 << 20), 1, 1 << 20);
}

/* The server's port, which is another one in this network namespace. */
static void listen_there(void) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(1883)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&here, sizeof(here)) != 0 || listen(listener, 1) != 0)
        exit(9);
    printf("listens on port 1883\n");
}

static void orphan(void) {
    if (fork() == 0)
        for (;;)
            pause();
}

static void misbehave(const char *what) {
    if (strcmp(what, "spin") == 0)
        spin();
    else if (strcmp(what, "fill") == 0)
        fill("large");
    else if (strcmp(what, "print") == 0)
        print();
    else if (strcmp(what, "fork") == 0)
        fork_for_ever();
    else if (strcmp(what, "hoard") == 0)
        hoard();
    else if (strcmp(what, "listen") == 0)
        listen_there();
    else if (strcmp(what, "orphan") == 0)
        orphan();
    else if (strcmp(what, "deaf") == 0)
        signal(SIGTERM, SIG_IGN);
    else if (strcmp(what, "exit") == 0)
        exit(7);
    else if (strcmp(what, "crash") == 0)
        raise(SIGSEGV);
    else if (strcmp(what, "file") == 0 && open("settings.json", O_RDONLY) < 0) {
        perror("settings.json");
        exit(2);
    }
}
