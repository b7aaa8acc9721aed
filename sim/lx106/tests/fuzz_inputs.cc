// libFuzzer target: any bytes as each input of a board.
#include "random_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    lx106_test::try_input({data, size});
    return 0;
}
