// libFuzzer target: any bytes as a study of the NB-IoT model. Accepted ones are read to the end; no
// run is made, since a valid one may take hours.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    try {
        nbiot::parse_study(std::string(data, data + size), "fuzz");
    } catch (const config::Error &) {
    }
    return 0;
}
