// libFuzzer target: any bytes as a study of the NB-IoT model. Accepted ones are read to the end; no
// run is made, since a valid one may take hours.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config.hpp"
#include "mutate_document.hpp"
#include "nbiot_schema.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    static const config::Schema schema(nbiot::kSchemaText);
    return config_test::mutate_document(schema, data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    try {
        nbiot::parse_study(std::string(data, data + size), "fuzz");
    } catch (const config::Error &) {
    }
    return 0;
}
