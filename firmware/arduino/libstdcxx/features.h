// The host's C++ headers with the LX106's compiler: the C library is picolibc, not glibc.
#pragma once
#define __GLIBC_PREREQ(major, minor) 0
