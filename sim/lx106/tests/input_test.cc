// Input from outside: files, networks, frames.
#include <gtest/gtest.h>
#include <random>

#include "netdev.hpp"
#include "program.hpp"
#include "random_input.hpp"

namespace {

using namespace lx106;
using namespace lx106_test;

TEST(Lx106Elf, ItsSegmentsAreLoadedAtTheirPlaces) {
    const ElfImage image = parse_elf(elf_with({1, 2, 3}));
    ASSERT_EQ(image.segments.size(), 1u);
    EXPECT_EQ(image.entry, kFlash);
    EXPECT_EQ(image.segments[0].address, kFlash);
    EXPECT_EQ(image.segments[0].data, (Bytes{1, 2, 3}));
    EXPECT_EQ(image.segments[0].size, 19u);
}

TEST(Lx106Elf, AFileCutShortAnywhereIsRefused) {
    const Bytes whole = elf_with({1, 2, 3});
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(parse_elf(std::span(whole).first(size)), std::runtime_error) << size;
}

TEST(Lx106Elf, OfAnotherProcessorIsRefused) {
    Bytes file = elf_with({1});
    file[18] = 3; // i386
    EXPECT_THROW(parse_elf(file), std::runtime_error);
}

TEST(Lx106Elf, ASegmentOutsideOfMemoryIsRefused) {
    Bytes file = elf_with({1});
    file[52 + 15] = 0xe0; // of the physical address
    Remembering outside;
    EXPECT_THROW(Board(parse_elf(file), "", kInstruction, outside), std::runtime_error);
}

TEST(Lx106Netdev, QemusWordsAreUnderstood) {
    EXPECT_EQ(parse_netdev("tap,ifname=tap0,script=no,downscript=no").tap, "tap0");
    const auto both =
        parse_netdev("dgram,local.type=unix,local.path=/a,,b,remote.type=unix,remote.path=/c");
    EXPECT_EQ(both.unix_bind, "/a,b");
    EXPECT_EQ(both.unix_peer, "/c");
}

TEST(Lx106Netdev, WhatNamesNoNetworkIsRefused) {
    for (const char *text :
         {"", "tap", "user", "tap,ifname=", "dgram,local.path=/a", ",,=", "tap,="})
        EXPECT_THROW(parse_netdev(text), std::runtime_error) << text;
}

TEST(Lx106Input, BytesByChanceAreSurvived) {
    std::mt19937_64 chance(1);
    for (int round = 0; round < 200; ++round) {
        Bytes input(chance() % 400);
        for (auto &byte : input)
            byte = static_cast<std::uint8_t>(chance());
        try_input(input);
    }
}

} // namespace
