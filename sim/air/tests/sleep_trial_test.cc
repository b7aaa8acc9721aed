#include "sleep_trial.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace {

using namespace air;

std::vector<double> milliseconds(bool sleep, std::uint64_t seed) {
    std::vector<double> times;
    for (const RequestFlow::Sample &sample : sleep_trial(sleep, 100, seed))
        times.push_back(des::to_seconds(sample.round_trip) * 1e3);
    return times;
}

double share_between(const std::vector<double> &times, double low, double high) {
    const auto inside = [&](double t) { return t >= low && t <= high; };
    return static_cast<double>(std::ranges::count_if(times, inside)) /
           static_cast<double>(times.size());
}

// With modem sleep the round trips fall into the recorded clusters, without it into the first one
// only.
TEST(SleepTrial, SleepMakesTwoClusters) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const auto with = milliseconds(true, seed), without = milliseconds(false, seed);
        EXPECT_GT(share_between(with, 5, 13), 0.1);
        EXPECT_GT(share_between(with, 98, 119), 0.6);
        EXPECT_GT(share_between(with, 5, 13) + share_between(with, 98, 119), 0.9);
        EXPECT_EQ(share_between(without, 5, 13), 1);
    }
}

// Against the recording coap_1clients.pcapng: set THINWIRE_CAPTURES to the folder that holds it.
TEST(SleepTrial, IsFarCloserToTheRecordingWithSleep) {
    const char *folder = std::getenv("THINWIRE_CAPTURES");
    if (folder == nullptr)
        GTEST_SKIP() << "THINWIRE_CAPTURES is not set";
    const std::string capture = std::string(folder) + "/coap_1clients.pcapng";
    if (!std::filesystem::exists(capture))
        GTEST_SKIP() << capture << " is not there; to fetch it: make recordings";
    const std::string command = "tshark -r '" + capture +
                                "' -Y coap -T fields -e frame.time_relative -e "
                                "ip.src -e coap.type -e coap.mid 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::map<int, double> requests;
    std::vector<double> recorded;
    char source[64];
    double time = 0;
    int type = 0, id = 0;
    while (std::fscanf(pipe, "%lf %63s %d %d", &time, source, &type, &id) == 4) {
        const bool device = std::string(source) == "192.168.0.226";
        if (!device && type == 0)
            requests[id] = time;
        else if (device && type == 2 && requests.contains(id))
            recorded.push_back((time - requests[id]) * 1e3);
    }
    pclose(pipe);
    ASSERT_EQ(recorded.size(), 100u);
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        EXPECT_LT(ks_distance(recorded, milliseconds(true, seed)), 0.35);
        EXPECT_GT(ks_distance(recorded, milliseconds(false, seed)), 0.8);
    }
}

TEST(KsDistance, KnownValues) {
    EXPECT_EQ(ks_distance({1, 2, 3}, {1, 2, 3}), 0);
    EXPECT_EQ(ks_distance({1, 2, 3}, {4, 5, 6}), 1);
    EXPECT_DOUBLE_EQ(ks_distance({1, 2, 3, 4}, {3, 4, 5, 6}), 0.5);
}

} // namespace
