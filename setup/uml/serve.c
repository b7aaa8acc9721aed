// SPDX-License-Identifier: GPL-2.0
/*
 * A frozen machine (freeze.c) as a process of the host: it copies itself for each connection. The
 * requester sends the number of a processor with two open files, trial's folder and console. It
 * receives the copy's process number and, at its end, its exit status or its signal as a negative
 * number, each as an int. If the requester ends first, so does the copy. Copied to
 * arch/um/os-Linux by setup/uml/edit.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <as-layout.h>
#include <mem_user.h>
#include <os.h>

void lab_serve(void *listener);
int lab_renew_image(void);

extern char *tempdir;
extern int physmem_fd;
extern unsigned long long physmem_size;

int lab_copied; /* this machine is a copy */

static void fail(const char *what) {
    int reason = errno;

    dprintf(2, "lab: cannot copy the machine: %s: %s\n", what, strerror(reason));
    if (reason == ENOSPC)
        dprintf(2, "Bus error - the host /dev/shm or /tmp mount is full\n");
    _exit(1);
}

/* Returns a file with the pages that the frozen machine has used. Its others stay holes. */
static int copied_memory(void) {
    static char name[4096];
    off_t at = 0, end;
    char *old = mmap(NULL, physmem_size, PROT_READ, MAP_SHARED, physmem_fd, 0);
    int fresh;

    if (old == MAP_FAILED || snprintf(name, sizeof(name), "%s/vm_file-XXXXXX", tempdir) < 0)
        fail("its memory");
    fresh = mkostemp(name, O_CLOEXEC);
    if (fresh < 0 || unlink(name) || ftruncate(fresh, physmem_size))
        fail(name);
    while ((at = lseek(physmem_fd, at, SEEK_DATA)) >= 0) {
        end = lseek(physmem_fd, at, SEEK_HOLE);
        while (at < end) {
            ssize_t done = pwrite(fresh, old + at, end - at, at);

            if (done <= 0)
                fail("its memory");
            at += done;
        }
    }
    munmap(old, physmem_size);
    return fresh;
}

/* Makes the copied memory this machine's own, at the same addresses. */
static void renew_memory(void) {
    unsigned long reserved = uml_reserved - uml_physmem;
    int fresh = copied_memory();

    if (dup3(fresh, physmem_fd, O_CLOEXEC) < 0 || close(fresh) ||
        os_map_memory((void *)uml_reserved, physmem_fd, reserved, physmem_size - reserved, 1, 1,
                      1) ||
        lab_renew_image())
        fail("its memory");
}

/* Replaces the console by a file, under each number that it has. */
static void renew_console(int file) {
    struct stat old, each;
    int number;

    if (fstat(1, &old))
        fail("its console");
    for (number = 0; number < 64; number++)
        if (number != file && fstat(number, &each) == 0 && each.st_dev == old.st_dev &&
            each.st_ino == old.st_ino && dup2(file, number) < 0)
            fail("its console");
}

/* The copy, in a session of its own, at the requester's folder, console and processor. Also who is
   not its parent may read its memory (Yama), which shows its time. */
static void begin(int connection, int cpu, const int files[2]) {
    cpu_set_t one;
    pid_t own = setsid();

    if (send(connection, &own, sizeof(own), MSG_NOSIGNAL) < 0)
        _exit(1);
    close(connection);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    renew_console(files[1]);
    if (fchdir(files[0]))
        fail("its folder");
    close(files[0]);
    close(files[1]);
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    /* The kernel has a function of the library's name. */
    syscall(SYS_sched_setaffinity, 0, sizeof(one), &one);
    renew_memory();
    lab_copied = 1;
}

static int receive(int connection, int *cpu, int files[2]) {
    union {
        char data[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = cpu, .iov_len = sizeof(*cpu)};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    struct cmsghdr *passed;

    if (recvmsg(connection, &message, 0) != sizeof(*cpu))
        return -1;
    passed = CMSG_FIRSTHDR(&message);
    if (!passed || passed->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return -1;
    memcpy(files, CMSG_DATA(passed), 2 * sizeof(int));
    return 0;
}

/* Waits for the end of the copy, or of the requester, and then ends the copy. The copy's number
   stays taken until the requester closes the connection. */
static void watch(int connection, pid_t copy) {
    struct pollfd heard[2] = {{.fd = connection, .events = POLLIN}, {.events = POLLIN}};
    siginfo_t end;
    int status;
    char none;

    heard[1].fd = syscall(SYS_pidfd_open, copy, 0);
    while (poll(heard, 2, -1) < 0)
        continue;
    if (!heard[1].revents)
        kill(copy, SIGKILL);
    if (waitid(P_PID, copy, &end, WEXITED | WNOWAIT))
        _exit(1);
    status = end.si_code == CLD_EXITED ? end.si_status : -end.si_status;
    if (send(connection, &status, sizeof(status), MSG_NOSIGNAL) < 0)
        _exit(1);
    while (recv(connection, &none, 1, 0) > 0)
        continue;
    waitpid(copy, &status, 0);
    _exit(0);
}

/* Returns in each copy. Runs on the first stack, which no other thread of the kernel uses. */
void lab_serve(void *place) {
    int listener = *(int *)place, connection, cpu, files[2];
    struct sigaction none = {.sa_handler = SIG_DFL}, handled;
    sigset_t child, before;
    pid_t copy;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    for (;;) {
        connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        if (connection < 0 && errno != EINTR)
            exit(1);
        if (connection >= 0 && fork() == 0)
            break;
        if (connection >= 0)
            close(connection);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(listener);
    if (receive(connection, &cpu, files))
        _exit(1);
    sigaction(SIGCHLD, &none, &handled); /* its status is needed, even if the host ignores it */
    copy = fork();
    if (copy == 0) {
        begin(connection, cpu, files);
        sigaction(SIGCHLD, &handled, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return;
    }
    close(files[0]);
    close(files[1]);
    if (copy < 0)
        _exit(1);
    watch(connection, copy);
}
