// Until when no frame can come.
#pragma once

#include <chrono>

namespace ports {

// The moment of CLOCK_MONOTONIC before which nothing happens unless the caller makes a system call:
// every other process sleeps until then. 0 if the caller has made one since `woken`, as that may
// have caused something, if others are ready to run, or where the kernel does not tell: only that
// of the machine `uml` does (setup/uml/vdso.c).
std::chrono::nanoseconds quiet_until(std::chrono::nanoseconds woken);

} // namespace ports
