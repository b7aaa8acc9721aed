// A mutator for fuzzers of configurations: documents that stay JSON, with keys and values of the
// schema.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/schema.hpp"

namespace config_test {

// A custom mutator for libFuzzer: inserts, replaces, duplicates or removes a value somewhere in the
// document, valid by `schema` or nearly so. Input that is not JSON, and one document in four, has
// its bytes changed instead. Returns the new size, at most `max_size`.
std::size_t mutate_document(const config::Schema &schema, std::uint8_t *data, std::size_t size,
                            std::size_t max_size, unsigned seed);

} // namespace config_test
