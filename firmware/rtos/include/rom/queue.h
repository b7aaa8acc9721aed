/* The ROM has the queues of BSD, as the C library has. */
#include <sys/queue.h>
