// libFuzzer target: any bytes as a configuration.
#include "random_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    air_test::try_config({data, size});
    return 0;
}
