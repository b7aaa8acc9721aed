#include "air_capture.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

#include "bench_cell.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;

std::string read_file(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Every kind of frame that a cell can send, for two seconds.
std::string busy_cell(const std::string &path, int seed) {
    return R"({"seed":)" + std::to_string(seed) + R"(,"cell":{"standard":"n","dtim_period":2},
        "capture":{"path":")" +
           path + R"("},"stations":[)" +
           air_test::station(1,
                             R"(,"standard":"n","modem_sleep":{"idle_ms":30,"fetch":"ps_poll"})") +
           "," +
           air_test::station(2, R"(,"standard":"g","modem_sleep":{"idle_ms":30},"snr_db":14)") +
           "," +
           air_test::station(3, R"(,"standard":"b","absences":[{"from_ms":300,"to_ms":900}])") +
           R"(],"background":[{"profile":"bulk","stations":3,"direction":"both","frame_error_rate":0.05},
              {"profile":"web","load_mbps":2,"standard":"g"},{"profile":"voice"},
              {"profile":"video","load_mbps":2},{"profile":"datagram","direction":"up","load_mbps":1}]})";
}

std::string run_busy_cell(const std::string &path, int seed) {
    {
        const CellConfig config = read_config(busy_cell(path, seed), "test");
        des::EventQueue queue;
        Cell cell(queue, config, {});
        AirCapture capture(config, cell);
        cell.set_log(&capture);
        cell.start();
        for (int i = 0; i < 40; ++i) {
            queue.run_until(i * 50ms);
            const auto to = static_cast<StationId>(1 + i % 3);
            const auto station = air_test::BenchCell::mac(to);
            const auto &server = air_test::BenchCell::kServer;
            cell.from_wired_port(air_test::BenchCell::ethernet(station, server, 200));
            cell.from_station_port(to, air_test::BenchCell::ethernet(server, station, 100));
            cell.from_wired_port(
                air_test::BenchCell::ethernet({0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, server, 46));
        }
        queue.run_until(2s);
    }
    return read_file(path);
}

class Capture : public testing::Test {
protected:
    // One file for each test and process: ctest runs tests side by side.
    std::string path_ = testing::TempDir() + "air-" + std::to_string(getpid()) + ".pcapng";
    void TearDown() override { std::remove(path_.c_str()); }
    std::string tshark(const std::string &arguments) const {
        const std::string command = "tshark -r '" + path_ + "' " + arguments + " 2>/dev/null";
        std::string output;
        if (FILE *pipe = popen(command.c_str(), "r")) {
            char buffer[4096];
            while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe))
                output.append(buffer, n);
            pclose(pipe);
        }
        return output;
    }
    static bool have_tshark() { return std::system("tshark --version >/dev/null 2>&1") == 0; }
};

TEST_F(Capture, ThreeRunsAreIdenticalAndASeedChangesThem) {
    const std::string first = run_busy_cell(path_, 1);
    EXPECT_GT(first.size(), 100000u);
    EXPECT_EQ(run_busy_cell(path_, 1), first);
    EXPECT_EQ(run_busy_cell(path_, 1), first);
    EXPECT_NE(run_busy_cell(path_, 2), first);
}

TEST_F(Capture, StartsWithASectionAndNanoseconds) {
    const std::string file = run_busy_cell(path_, 1);
    const unsigned char section[] = {0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0,
                                     0x4d, 0x3c, 0x2b, 0x1a, 1,  0, 0, 0};
    EXPECT_EQ(file.compare(0, 16, reinterpret_cast<const char *>(section), 16), 0);
    const unsigned char interface[] = {1, 0, 0, 0, 32, 0, 0, 0, 127, 0, 0,
                                       0, 0, 0, 0, 0,  9, 0, 1, 0,   9};
    EXPECT_EQ(file.compare(28, 21, reinterpret_cast<const char *>(interface), 21), 0);
}

// Does Wireshark dissect every frame without an error, and find all kinds that were sent?
TEST_F(Capture, WiresharkFindsNothingMalformed) {
    if (!have_tshark())
        GTEST_SKIP() << "tshark is not installed";
    run_busy_cell(path_, 1);
    EXPECT_EQ(tshark("-Y '_ws.malformed || _ws.expert.severity >= 6291456'"), "");
    const auto has = [&](const std::string &filter) {
        return !tshark("-c 20000 -Y '" + filter + "'").empty();
    };
    EXPECT_TRUE(has("wlan.fc.type_subtype == 8 && wlan.tim.dtim_count == 1"));
    EXPECT_TRUE(has("wlan.fc.type_subtype == 0x1a")) << "PS-Poll";
    EXPECT_TRUE(has("wlan.fc.type_subtype == 0x19")) << "block ack";
    EXPECT_TRUE(has("wlan.fc.type_subtype == 0x1c")) << "CTS";
    EXPECT_TRUE(has("wlan.fc.type_subtype == 0x24 && wlan.fc.pwrmgt == 1")) << "null";
    EXPECT_TRUE(has("wlan.fc.type_subtype == 0x0b")) << "authentication";
    EXPECT_TRUE(has("wlan.fc.type_subtype == 0x01 && wlan.fixed.aid == 3")) << "association";
    EXPECT_TRUE(has("wlan.fc.retry == 1 && radiotap.mcs.index == 7"));
    EXPECT_TRUE(has("radiotap.datarate == 11"));
    EXPECT_TRUE(has("radiotap.flags.badfcs == 1"));
    EXPECT_TRUE(has("wlan.fc.type_subtype == 8 && wlan.erp_info.use_protection == 1"));
}

TEST_F(Capture, FramesAreInOrderOfTime) {
    const std::string file = run_busy_cell(path_, 3);
    std::uint64_t last = 0;
    std::size_t packets = 0;
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 4; ++i)
            value |= std::uint32_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
        return value;
    };
    for (std::size_t at = 0; at < file.size(); at += word(at + 4))
        if (word(at) == 6) {
            const std::uint64_t time = std::uint64_t{word(at + 12)} << 32 | word(at + 16);
            EXPECT_GE(time, last);
            last = time;
            ++packets;
        }
    EXPECT_GT(packets, 1000u);
}

} // namespace
