/* What a foreign program sees of the processor: the name that CPUID gives, and whether a loop that
 * waits for the counter of cycles comes to an end. */
#include <cpuid.h>
#include <stdio.h>
#include <x86intrin.h>

int main(void) {
    unsigned name[13] = {0}, number;
    for (unsigned part = 0; part < 3; part++)
        __cpuid(0x80000002 + part, name[4 * part], name[4 * part + 1], name[4 * part + 2],
                name[4 * part + 3]);
    unsigned long long end = __rdtsc() + 1000000, turns = 0;
    while (__rdtscp(&number) < end)
        turns++;
    printf("%s, %llu turns\n", (const char *)name, turns);
    return 0;
}
