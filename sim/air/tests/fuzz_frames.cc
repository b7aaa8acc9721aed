// libFuzzer target: any bytes as frames on the ports.
#include "random_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    air_test::try_frames({data, size});
    return 0;
}
