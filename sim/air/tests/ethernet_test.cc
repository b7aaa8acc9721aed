// Is Ethernet's padding of short packets removed where a frame enters the air?
#include <algorithm>

#include <gtest/gtest.h>

#include "bench_cell.hpp"
#include "ethernet.hpp"

namespace {

using namespace std::chrono_literals;
using air_test::BenchCell;
using air_test::station;
using Bytes = std::vector<std::uint8_t>;

// A frame from station 1 of `size` bytes whose packet begins with `head`; other bytes are 0x11,
// those after the packet's end 0.
Bytes frame(const air::MacAddress &to, std::uint16_t type, const Bytes &head, std::size_t packet,
            std::size_t size = 60) {
    Bytes bytes = BenchCell::ethernet(to, BenchCell::mac(1), packet, 0x11);
    bytes[12] = static_cast<std::uint8_t>(type >> 8);
    bytes[13] = static_cast<std::uint8_t>(type);
    std::copy(head.begin(), head.end(), bytes.begin() + 14);
    bytes.resize(size);
    return bytes;
}

Bytes first(const Bytes &bytes, std::ptrdiff_t count) {
    return {bytes.begin(), bytes.begin() + count};
}

std::size_t left(const Bytes &bytes) {
    return air::without_padding(bytes).size();
}

// A TCP acknowledgement of 40 bytes: 54 on the air and at another station, 60 on a wire.
TEST(Padding, DoesNotEnterTheAirAndComesBackOnTheWire) {
    BenchCell bench(R"({"cell":{"beacons":false},"stations":[)" + station(1) + "," + station(2) +
                    "]}");
    const Bytes ack{0x45, 0, 0, 40};
    const Bytes there = frame(BenchCell::mac(2), 0x0800, ack, 40);
    const Bytes out = frame(BenchCell::kServer, 0x0800, ack, 40);
    bench.cell.from_station_port(1, there);
    bench.run_until(10ms);
    bench.cell.from_station_port(1, out);
    bench.run_until(20ms);
    EXPECT_EQ(bench.heard.size(), 6u); // three times the frame, and its ACK
    EXPECT_EQ(bench.count([](const auto &h) { return h.payload_bytes != 40; }), 0u);
    ASSERT_EQ(bench.delivered.size(), 2u);
    EXPECT_EQ(bench.delivered[0].bytes, first(there, 54));
    EXPECT_EQ(bench.delivered[1].bytes, out);
}

TEST(Padding, EndsAreThoseOfTheProtocols) {
    const auto to = BenchCell::kServer;
    EXPECT_EQ(left(frame(to, 0x0800, {0x45, 0, 0, 32}, 32)), 46u);
    EXPECT_EQ(left(frame(to, 0x0806, {0, 1, 8, 0, 6, 4}, 28)), 42u);
    EXPECT_EQ(left(frame(to, 0x86dd, {0x60, 0, 0, 0, 0, 4}, 44)), 58u);
}

TEST(Padding, WhatNoLengthTellsStays) {
    const auto to = BenchCell::kServer;
    EXPECT_EQ(left(frame(to, 0x88b5, {}, 10)), 60u);
    EXPECT_EQ(left(frame(to, 0x0800, {0x45, 0, 0, 19}, 19)), 60u);      // less than its header
    EXPECT_EQ(left(frame(to, 0x0800, {0x45, 0, 0xff, 0xff}, 46)), 60u); // more than there is
    EXPECT_EQ(left(frame(to, 0x0800, {0x45, 0, 0, 40}, 40, 61)), 61u);  // a trailer, no padding
    EXPECT_EQ(left(frame(to, 0x0800, {0x45, 0, 0, 32}, 18, 32)), 32u);  // cut short
    EXPECT_EQ(left(frame(to, 0x86dd, {0x60}, 39, 53)), 53u);
    EXPECT_EQ(left(frame(to, 0x0806, {0, 1}, 7, 21)), 21u);
    EXPECT_EQ(left(Bytes(13)), 13u);
}

} // namespace
