// Simulated time. One type serves for instants (time since the start of the run) and for durations,
// as in most simulators; its unit is carried by the type.
#pragma once

#include <chrono>
#include <cstdint>

namespace des {

using Time = std::chrono::nanoseconds;

// "Never": later than every event.
inline constexpr Time kNever = Time::max();

// Seconds as a floating-point number, for rates and reports.
constexpr double to_seconds(Time t) {
    return static_cast<double>(t.count()) * 1e-9;
}

// The nearest nanosecond to a number of seconds, ties away from zero.
constexpr Time from_seconds(double seconds) {
    return Time(static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5)));
}

} // namespace des
