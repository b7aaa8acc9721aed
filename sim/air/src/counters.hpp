// The counters of a run as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "cell.hpp"

namespace air {

// All values that a repetition with the same arrivals reproduces; times in seconds.
nlohmann::ordered_json counters_json(const Cell &cell, Time now);

} // namespace air
