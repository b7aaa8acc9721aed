/*
 * What libcoap's coap_address.c wants to know of a resolver of names, which lwIP has with threads
 * only. Nothing here calls it: addresses come from the configuration.
 */
#ifndef NO_RESOLVER_H
#define NO_RESOLVER_H

#include "lwip/inet.h"

#define AF_UNSPEC 0
#define AF_INET 2

struct sockaddr_in {
    uint16_t sin_port;
    struct in_addr sin_addr;
};

struct addrinfo {
    int ai_flags, ai_family, ai_socktype;
    void *ai_addr;
    struct addrinfo *ai_next;
};

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result);
void freeaddrinfo(struct addrinfo *result);

#endif
