// libFuzzer target: any bytes as a configuration.
#include "air_schema.hpp"
#include "mutate_document.hpp"
#include "random_input.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    static const config::Schema schema(air::kSchemaText);
    return config_test::mutate_document(schema, data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    air_test::try_config({data, size});
    return 0;
}
