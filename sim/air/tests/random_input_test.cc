#include "random_input.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "bench_cell.hpp"
#include "damage.hpp"

namespace {

const std::vector<std::string> kSeeds{
    R"({"seed":7,"duration_s":2,"cell":{"standard":"n","dtim_period":3,"queue":"shared","basic_rates_mbps":[6,12,24]},
        "stations":[{"name":"a","port":{"tap":"a"},"standard":"g","rate_mbps":54,"snr_db":10}],
        "background":[{"profile":"bulk","stations":3,"direction":"both","load_mbps":3}]})",
    R"({"stations":[{"request":{"pause_ms":10,"processing_max_ms":3},"modem_sleep":{"listen_interval":2}}],
        "background":[{"profile":"web","load_mbps":1,"standard":"b"},{"profile":"voice"}]})"};

// Ten thousand damaged configurations: refused or run, never a crash, never a hang.
TEST(RandomInput, DamagedConfigurations) {
    des::RandomStream random(1, "random-config");
    for (int i = 0; i < 10000; ++i) {
        const std::string json =
            config_test::damaged(kSeeds[static_cast<std::size_t>(i) % kSeeds.size()], random);
        const auto *bytes = reinterpret_cast<const std::uint8_t *>(json.data());
        air_test::try_config({bytes, json.size()});
    }
}

TEST(RandomInput, ArbitraryFrames) {
    des::RandomStream random(2, "random-frames");
    for (int i = 0; i < 500; ++i) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.integer(0, 4000)));
        for (std::uint8_t &byte : bytes)
            byte = static_cast<std::uint8_t>(random.bits());
        air_test::try_frames(bytes);
    }
}

// Frames with existing addresses, so that the bridge forwards them; lengths and contents are
// arbitrary.
TEST(RandomInput, PlausibleFrames) {
    des::RandomStream random(3, "plausible-frames");
    for (int i = 0; i < 500; ++i) {
        std::vector<std::uint8_t> bytes;
        for (int f = 0; f < 20; ++f) {
            const auto port = static_cast<std::uint8_t>(random.integer(0, 3));
            const auto length = static_cast<std::size_t>(random.integer(12, 1600));
            bytes.insert(bytes.end(), {port, static_cast<std::uint8_t>(length / 8),
                                       static_cast<std::uint8_t>(length % 8),
                                       static_cast<std::uint8_t>(random.integer(0, 255))});
            const auto other = static_cast<air::StationId>(random.integer(1, 3));
            air::MacAddress to = air_test::BenchCell::mac(other);
            if (random.chance(0.2))
                to[0] |= 1;
            const air::MacAddress from = air_test::BenchCell::mac(port);
            bytes.insert(bytes.end(), to.begin(), to.end());
            bytes.insert(bytes.end(), from.begin(), from.end());
            for (std::size_t b = 12; b < length; ++b)
                bytes.push_back(static_cast<std::uint8_t>(random.bits()));
        }
        air_test::try_frames(bytes);
    }
}

} // namespace
