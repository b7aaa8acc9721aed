// Compares what a program's reader accepts with what its schema allows: each key at its bounds,
// beyond them and with a wrong type; missing and unknown keys.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/schema.hpp"

namespace config_test {

using config::Json;

struct Walk {
    const config::Schema &schema;
    // The reader's message about a document named "d.json"; empty when it accepts it.
    std::function<std::string(const std::string &text)> verdict;
    // Documents that the reader accepts and that together contain every object of the schema.
    std::vector<Json> documents;
    // After a value of `key` in `parent` was set, changes keys that depend on it so that the
    // document is consistent.
    std::function<void(Json &document, Json &parent, const std::string &key)> settle;
};

// Every difference fails the running test; returns the number of documents tried.
int walk_schema(const Walk &walk);

} // namespace config_test
