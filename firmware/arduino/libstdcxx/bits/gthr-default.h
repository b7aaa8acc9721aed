// The host's C++ headers with the LX106's compiler: there are no threads.
#include <bits/gthr-single.h>
