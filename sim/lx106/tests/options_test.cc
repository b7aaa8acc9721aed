#include <gtest/gtest.h>
#include <vector>

#include "options.hpp"

namespace {

using lx106::parse_options;
using Arguments = std::vector<const char *>;

const Arguments kBoard = {"--netdev", "tap,ifname=t0", "--log", "log", "thinwire.elf", "ip=a"};

Arguments with(const Arguments &before, const Arguments &board = kBoard) {
    Arguments all = before;
    all.insert(all.end(), board.begin(), board.end());
    return all;
}

TEST(Lx106Options, ABoardHasWhatItsArgumentsState) {
    const auto boards =
        parse_options(with({"--start-ns", "7", "--instruction-ps", "12500", "--join", "--at",
                            "40200000", "--word", "3ffe8000=ff", "--first-word", "3ffe8004=1"}));
    ASSERT_EQ(boards.size(), 1u);
    EXPECT_EQ(boards[0].network, "tap,ifname=t0");
    EXPECT_EQ(boards[0].firmware, "thinwire.elf");
    EXPECT_EQ(boards[0].words, "ip=a");
    EXPECT_EQ(boards[0].start_ns, 7u);
    EXPECT_EQ(boards[0].instruction_ps, 12'500u);
    EXPECT_TRUE(boards[0].joins && boards[0].paced);
    ASSERT_EQ(boards[0].presets.words.size(), 2u);
    EXPECT_EQ(boards[0].presets.words[0].value, 255u);
    EXPECT_FALSE(boards[0].presets.words[1].each_start);
}

TEST(Lx106Options, EachBoardHasItsOwn) {
    const auto boards = parse_options(with(with({"--start-ns", "7"}), with({"--next"})));
    ASSERT_EQ(boards.size(), 2u);
    EXPECT_EQ(boards[0].start_ns, 7u);
    EXPECT_EQ(boards[1].start_ns, 0u);
}

TEST(Lx106Options, WhatAProcessHasOnceIsNotForSeveralBoards) {
    for (const Arguments &own : {Arguments{"--unpaced"}, Arguments{"--resets"},
                                 Arguments{"--gdb", "memory"}, Arguments{"--coverage", "pcs"}}) {
        EXPECT_EQ(parse_options(with(own)).size(), 1u);
        EXPECT_TRUE(parse_options(with(with(own), with({"--next"}))).empty());
    }
    const Arguments without_log = {"--netdev", "tap,ifname=t0", "thinwire.elf", "ip=a"};
    EXPECT_EQ(parse_options(without_log).size(), 1u);
    EXPECT_TRUE(parse_options(with(with({}), with({"--next"}, without_log))).empty());
}

TEST(Lx106Options, WhatIsNotValidIsRefused) {
    for (const Arguments &own :
         {Arguments{"--start-ns", "x"}, Arguments{"--start-ns", "0"}, Arguments{"--instruction-ps"},
          Arguments{"--word", "3ffe8000"}, Arguments{"--word", "3ffe8000=1"},
          Arguments{"--halt-ps", "5"}, Arguments{"--join", "--unpaced"}, Arguments{"--next"},
          Arguments{"--at", "pc"}})
        EXPECT_TRUE(parse_options(with(own)).empty()) << own[0];
    EXPECT_TRUE(parse_options(Arguments{}).empty());
    EXPECT_TRUE(parse_options(with(kBoard, {"--next"})).empty());
}

} // namespace
