#include "ports/quiet.hpp"

#include <algorithm>
#include <ctime>
#include <dlfcn.h>

namespace ports {

namespace {

using std::chrono::nanoseconds;
using NextEvent = unsigned long (*)();

NextEvent find() {
    void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    return vdso == nullptr ? nullptr
                           : reinterpret_cast<NextEvent>(dlsym(vdso, "__vdso_next_event"));
}

nanoseconds monotonic() {
    timespec ts{};
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return std::chrono::seconds(ts.tv_sec) + nanoseconds(ts.tv_nsec);
}

} // namespace

nanoseconds quiet_until(nanoseconds woken) {
    static const NextEvent next_event = find();
    // There each system call takes its time, and nothing else does.
    if (next_event == nullptr || monotonic() != woken)
        return nanoseconds::zero();
    constexpr auto kLatest = static_cast<unsigned long>(nanoseconds::max().count());
    return nanoseconds(std::min(next_event(), kLatest));
}

} // namespace ports
