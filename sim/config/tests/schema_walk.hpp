// Holds what a program's reader accepts against what its schema promises: each key at its bounds,
// beyond them, of a wrong type; keys that are missing or unknown.
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
    // Documents that it accepts, and that have every object of the schema between them.
    std::vector<Json> documents;
    // Makes `parent`, the object that holds `key`, and the document agree with a value just put
    // there, where keys depend on each other.
    std::function<void(Json &document, Json &parent, const std::string &key)> settle;
};

// Every difference is a failure of the running test; returns how many documents were tried.
int walk_schema(const Walk &walk);

} // namespace config_test
