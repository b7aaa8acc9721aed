// Until when no frame can come.
#pragma once

#include <chrono>

namespace ports {

// The time of CLOCK_MONOTONIC before which nothing happens unless the caller makes a system call:
// every other process sleeps until then. Returns 0 if the caller has made a system call since
// `woken`, which may have caused an event, if another process is ready to run, or if the kernel
// does not report it: only that of the machine `uml` does (setup/uml/vdso.c).
std::chrono::nanoseconds quiet_until(std::chrono::nanoseconds woken);

} // namespace ports
