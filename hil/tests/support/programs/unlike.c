/* A foreign device of the tests that does not repeat: it takes a random number of the processor,
 * which nobody can seed, and sends it in a datagram, or prints it: unlike send SERVER PORT | unlike
 * print.
 */
#include <arpa/inet.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long number(void) {
    unsigned long long found = 0;
    while (!_rdrand64_step(&found))
        ;
    return found;
}

int main(int count, char **words) {
    char text[32];
    int size = snprintf(text, sizeof(text), "%016llx\n", number());
    if (count < 4 || strcmp(words[1], "send") != 0)
        return fputs(text, stdout) < 0;
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((unsigned short)atoi(words[3]))};
    inet_pton(AF_INET, words[2], &to.sin_addr);
    int away = socket(AF_INET, SOCK_DGRAM, 0);
    return sendto(away, text, (size_t)size, 0, (struct sockaddr *)&to, sizeof(to)) != size;
}
