// What fuzzers of configurations try: documents that stay JSON, with keys and values of the schema.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/schema.hpp"

namespace config_test {

// A custom mutator of libFuzzer: a value, somewhere in the document, is put there, replaced,
// doubled or taken away, as `schema` has it or just beside. What is no JSON, and one document in
// four, has its bytes changed instead. Returns the new size, `max_size` at most.
std::size_t mutate_document(const config::Schema &schema, std::uint8_t *data, std::size_t size,
                            std::size_t max_size, unsigned seed);

} // namespace config_test
