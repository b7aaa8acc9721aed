// Invariants: checked in debug builds, and a test counts them.
#pragma once

#include <stdexcept>

namespace nbiot {

// A rule of the model was violated: a defect of the program, never of its input.
class InvariantError : public std::logic_error {
    using std::logic_error::logic_error;
};

#ifdef NDEBUG
inline constexpr bool kCheckInvariants = false;
#else
inline constexpr bool kCheckInvariants = true;
#endif

} // namespace nbiot

#define NBIOT_CHECK(condition, message)                                                            \
    do {                                                                                           \
        if constexpr (nbiot::kCheckInvariants) {                                                   \
            if (!(condition))                                                                      \
                throw nbiot::InvariantError(message);                                              \
        }                                                                                          \
    } while (false)
