// Does each kind of fault do what it says, at its time or packet, and nothing else?
#include <gtest/gtest.h>

#include "des/virtual_driver.hpp"
#include "frames.hpp"
#include "wire.hpp"

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace wire_test;
using des::Time;
using wire::Side;

const std::string kQos2 = "\x34\x08\x00\x01t\x00\x07"s + "abc";

struct Sent {
    Time at;
    Side to;
    Bytes frame;
    friend bool operator==(const Sent &, const Sent &) = default;
};

// A wire with a schedule, in virtual time.
struct Bench {
    wire::Config config;
    des::EventQueue queue;
    std::vector<Sent> sent;
    std::vector<std::string> notes; // "begin 1", "over 1 after 3"
    wire::Wire engine;

    explicit Bench(const std::string &faults, int seed = 1, const std::string &more = "")
        : config(wire::read_config(R"({"seed":)" + std::to_string(seed) + more +
                                       R"(,"device":{"tap":"a"},"server":{"tap":"b"},)"
                                       R"("application":"mqtt","faults":[)" +
                                       faults + "]}",
                                   "test")),
          engine(queue, config,
                 {.send =
                      [this](Side to, wire::Span frame) {
                          sent.push_back({queue.now(), to, {frame.begin(), frame.end()}});
                      },
                  .note =
                      [this](unsigned number, bool over, std::uint64_t frames) {
                          notes.push_back((over ? "over " : "begin ") + std::to_string(number) +
                                          (over ? " after " + std::to_string(frames) : ""));
                      }}) {
        engine.start();
    }
    void until(Time time) { queue.run_until(time); }
    void device(const Bytes &frame) { engine.from(Side::device, frame); }
    void server(const Bytes &frame) { engine.from(Side::server, frame); }
    // A segment of the device with a payload of one letter, numbered from `sequence` on.
    void letter(char c, std::uint32_t sequence = 1000) {
        device(tcp_frame(true, {.sequence = sequence}, std::string(1, c)));
    }
    [[nodiscard]] std::string letters(Side to = Side::server) const {
        std::string text;
        for (const Sent &each : sent)
            if (each.to == to)
                text += wire::parse(each.frame) ? payload_of(each.frame) : "?";
        return text;
    }
};

TEST(Wire, WithoutFaultsPassesEveryFrameUnchangedAndAtOnce) {
    Bench bench("");
    bench.until(1s);
    const Bytes there = tcp_frame(true, {}, "a"), back = udp_frame(false, "b"), arp = arp_frame();
    bench.device(there);
    bench.server(back);
    bench.device(arp);
    EXPECT_EQ(bench.sent,
              (std::vector<Sent>{
                  {1s, Side::server, there}, {1s, Side::device, back}, {1s, Side::server, arp}}));
}

TEST(Wire, LosesTheNextFramesOfOneSide) {
    Bench bench(R"({"number":1,"kind":"loss","at_ms":1000,"frames":2,"from":"device"})");
    bench.letter('a');
    bench.until(1s);
    bench.server(tcp_frame(false, {}, "S"));
    bench.device(arp_frame()); // is no frame that counts
    for (const char c : {'b', 'c', 'd'})
        bench.letter(c);
    EXPECT_EQ(bench.letters(), "a?d");
    EXPECT_EQ(bench.letters(Side::device), "S");
    EXPECT_EQ(bench.notes, (std::vector<std::string>{"begin 1", "over 1 after 2"}));
}

TEST(Wire, LosesEveryFrameForItsTime) {
    Bench bench(R"({"number":1,"kind":"loss","at_ms":10,"for_ms":10})");
    for (int ms = 0; ms < 30; ms += 5) {
        bench.until(ms * 1ms);
        bench.letter(static_cast<char>('a' + ms / 5));
    }
    EXPECT_EQ(bench.letters(), "abef");
}

TEST(Wire, AShareIsDrawnFromTheSeed) {
    const std::string half = R"({"number":1,"kind":"loss","at_ms":0,"for_ms":1000,"share":0.5})";
    const auto passed = [&](int seed) {
        Bench bench(half, seed);
        bench.until(1ms);
        for (int i = 0; i < 200; ++i)
            bench.letter(static_cast<char>('!' + i % 90));
        return bench.letters();
    };
    EXPECT_EQ(passed(1), passed(1));
    EXPECT_NE(passed(1), passed(2));
    EXPECT_NEAR(static_cast<double>(passed(1).size()), 100, 30);
}

TEST(Wire, DoublesAFrame) {
    Bench bench(R"({"number":1,"kind":"duplicate","at_ms":0})");
    bench.until(1ms);
    bench.letter('a');
    bench.letter('b');
    EXPECT_EQ(bench.letters(), "aab");
}

TEST(Wire, DelaysAFrame) {
    Bench bench(R"({"number":1,"kind":"delay","at_ms":0,"delay_ms":250})");
    bench.until(1ms);
    bench.letter('a');
    bench.letter('b');
    bench.until(1s);
    EXPECT_EQ(bench.letters(), "ba");
    EXPECT_EQ(bench.sent.back().at, 251ms);
}

TEST(Wire, AReorderedFrameFollowsTheNextOfItsSide) {
    Bench bench(R"({"number":1,"kind":"reorder","at_ms":0,"delay_ms":100})");
    bench.until(1ms);
    bench.letter('a');
    bench.server(tcp_frame(false, {}, "S"));
    EXPECT_EQ(bench.letters(), "");
    bench.letter('b');
    EXPECT_EQ(bench.letters(), "ba");
    bench.until(1s);
    EXPECT_EQ(bench.letters(), "ba");
}

TEST(Wire, AReorderedFrameWithoutAFollowerWaitsForItsDelay) {
    Bench bench(R"({"number":1,"kind":"reorder","at_ms":0,"delay_ms":100})");
    bench.until(1ms);
    bench.letter('a');
    bench.until(1s);
    ASSERT_EQ(bench.sent.size(), 1u);
    EXPECT_EQ(bench.sent[0].at, 101ms);
}

TEST(Wire, DamagesOneFrame) {
    Bench bench(R"({"number":1,"kind":"bit_flip","at_ms":0,"bit":7,"valid_checksum":true},)"
                R"({"number":2,"kind":"truncate","at_ms":5,"bytes":1,"valid_checksum":true})");
    bench.until(1ms);
    bench.letter('a');
    bench.until(6ms);
    bench.device(tcp_frame(true, {}, "bc"));
    EXPECT_EQ(bench.letters(), "`b");
    for (const Sent &each : bench.sent)
        EXPECT_TRUE(checksums_hold(each.frame));
}

TEST(Wire, SplitsASegmentWithoutALoss) {
    Bench bench(R"({"number":1,"kind":"split","at_ms":0,"bytes":2,"from":"device"},)"
                R"({"number":2,"kind":"delay","at_ms":0,"frames":1,"delay_ms":5})");
    bench.until(1ms);
    bench.device(tcp_frame(true, {.flags = wire::kAck | wire::kSyn}, "abc")); // TCP Fast Open
    bench.device(udp_frame(true, "def"));
    bench.device(tcp_frame(true, {}, "gh"));
    EXPECT_EQ(bench.notes, (std::vector<std::string>{"begin 1", "begin 2", "over 2 after 1"}));
    bench.until(10ms);
    bench.sent.clear();
    bench.device(tcp_frame(true, {.flags = wire::kAck | wire::kFin | wire::kPsh}, "abcde"));
    bench.device(tcp_frame(true, {.sequence = 1006}, "fgh"));
    EXPECT_EQ(bench.notes.back(), "over 1 after 1");
    bench.until(20ms);
    ASSERT_EQ(bench.sent.size(), 4u);
    const std::vector<std::string> expected = {"ab", "cd", "e", "fgh"};
    std::uint32_t sequence = 1000;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto parts = wire::parse(bench.sent[i].frame);
        EXPECT_EQ(payload_of(bench.sent[i].frame), expected[i]);
        EXPECT_EQ(parts->sequence, sequence);
        EXPECT_EQ(parts->flags, i == 2 ? wire::kAck | wire::kFin | wire::kPsh : wire::kAck);
        EXPECT_TRUE(checksums_hold(bench.sent[i].frame));
        EXPECT_EQ(bench.sent[i].at, 10ms + i * 1ms);
        sequence += static_cast<std::uint32_t>(expected[i].size());
    }
    EXPECT_EQ(payload_of(bench.sent[3].frame), "fgh"); // in order, though it was not split
}

TEST(Wire, SegmentsThatAreSplitStayInOrder) {
    Bench bench(R"({"number":1,"kind":"split","at_ms":0,"for_ms":2,"bytes":1})");
    bench.until(1ms);
    for (const char *each : {"abc", "d", "ef"})
        bench.device(tcp_frame(true, {}, each));
    bench.server(tcp_frame(false, {}, "S"));
    EXPECT_EQ(bench.letters(Side::device), "S");
    bench.until(20ms);
    EXPECT_EQ(bench.letters(), "abcdef");
    EXPECT_EQ(bench.sent.back().at, 4ms); // the last was held until the fault was over
}

// A condition sees what a side has sent, not what the wire makes of it.
TEST(Wire, ASplitPacketPassesOnce) {
    Bench bench(R"({"number":1,"kind":"split","at_ms":0,"for_ms":100},)"
                R"({"number":2,"kind":"loss","packet":{"name":"PUBLISH","number":2}})");
    bench.until(1ms);
    bench.device(tcp_frame(true, {}, kQos2));
    bench.until(50ms);
    EXPECT_EQ(bench.letters(), kQos2);
    EXPECT_EQ(bench.sent.size(), kQos2.size());
    EXPECT_EQ(bench.notes, (std::vector<std::string>{"begin 1"}));
}

TEST(Wire, ARateHoldsFramesBackInOrder) {
    Bench bench(R"({"number":1,"kind":"rate_limit","at_ms":0,"rate_kbps":48})"); // 10 ms a frame
    bench.until(1ms);
    for (const char c : {'a', 'b', 'c'})
        bench.letter(c);
    bench.until(1s);
    EXPECT_EQ(bench.letters(), "abc");
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(bench.sent[i].at, 1ms + (i + 1) * 10ms);
}

TEST(Wire, ALinkThatIsDownLosesAllBothWays) {
    Bench bench(R"({"number":1,"kind":"link_down","at_ms":0,"for_ms":10})");
    bench.until(1ms);
    bench.letter('a');
    bench.server(tcp_frame(false, {}, "S"));
    bench.device(arp_frame());
    EXPECT_EQ(bench.sent.size(), 0u);
    bench.until(10ms);
    bench.letter('b');
    EXPECT_EQ(bench.letters(), "b");
}

TEST(Wire, AHalfOpenLinkLosesOneSideWithoutAReset) {
    Bench bench(R"({"number":1,"kind":"half_open","at_ms":0,"from":"server"})");
    bench.letter('a');
    bench.until(1ms);
    bench.server(tcp_frame(false, {}, "S"));
    bench.letter('b', 1001);
    EXPECT_EQ(bench.letters(), "ab");
    EXPECT_EQ(bench.letters(Side::device), "");
    bench.engine.finish();
    EXPECT_EQ(bench.notes.back(), "over 1 after 1");
}

TEST(Wire, AResetFitsTheConnectionsSequenceOnBothSides) { // RFC 5961, 3.2: exactly the next one
    Bench bench(R"({"number":1,"kind":"tcp_reset","at_ms":10})");
    bench.device(tcp_frame(true, {.flags = wire::kSyn, .sequence = 99}));
    bench.server(tcp_frame(false, {.flags = wire::kSyn | wire::kAck, .sequence = 499}));
    bench.device(tcp_frame(true, {.sequence = 100}, "abc"));
    bench.device(tcp_frame(true, {.sequence = 100}, "a")); // a retransmission
    bench.server(tcp_frame(false, {.sequence = 500}, "de"));
    bench.sent.clear();
    bench.until(10ms);
    ASSERT_EQ(bench.sent.size(), 2u);
    const auto first = wire::parse(bench.sent[0].frame), second = wire::parse(bench.sent[1].frame);
    EXPECT_EQ(bench.sent[0].to, Side::device);
    EXPECT_EQ(first->sequence, 502u);
    EXPECT_EQ(second->sequence, 103u);
    EXPECT_EQ(first->flags, wire::kRst);
}

TEST(Wire, AResetLeavesOutConnectionsThatAreGone) {
    Bench bench(R"({"number":1,"kind":"tcp_reset","at_ms":10})");
    bench.device(tcp_frame(true, {.sequence = 100}, "abc"));
    bench.server(tcp_frame(false, {.flags = wire::kRst, .sequence = 500}));
    bench.sent.clear();
    bench.until(10ms);
    EXPECT_EQ(bench.sent.size(), 0u);
}

TEST(Wire, ARebindingGivesAFlowANewPortAndForgetsTheOldOne) { // RFC 4787, 4.3
    Bench bench(R"({"number":1,"kind":"nat_rebind","at_ms":10})");
    bench.device(udp_frame(true, "a"));
    bench.until(10ms);
    bench.server(udp_frame(false, "late"));
    EXPECT_EQ(bench.letters(Side::device), "");
    bench.device(udp_frame(true, "b"));
    const auto outside = wire::parse(bench.sent.back().frame)->source_port;
    EXPECT_NE(outside, kDevicePort);
    EXPECT_TRUE(checksums_hold(bench.sent.back().frame));
    bench.server(udp_frame(false, "back", outside));
    EXPECT_EQ(bench.letters(Side::device), "back");
    EXPECT_EQ(wire::parse(bench.sent.back().frame)->destination_port, kDevicePort);
    bench.server(udp_frame(false, "late", kDevicePort));
    EXPECT_EQ(bench.letters(Side::device), "back");
}

TEST(Wire, ANewConnectionAfterARebindingKeepsItsPort) {
    Bench bench(R"({"number":1,"kind":"nat_rebind","at_ms":10})");
    bench.device(tcp_frame(true, {}, "a"));
    bench.until(10ms);
    bench.device(tcp_frame(true, {.flags = wire::kSyn}));
    EXPECT_EQ(wire::parse(bench.sent.back().frame)->source_port, kDevicePort);
    bench.server(tcp_frame(false, {}, "b"));
    EXPECT_EQ(bench.letters(Side::device), "b");
}

const std::string kNat = R"(,"nat_idle_ms":30)";

TEST(Wire, AMappingExpiresWithoutFramesOfEitherSide) { // RFC 4787, REQ-5 and REQ-6
    Bench bench("", 1, kNat);
    bench.device(udp_frame(true, "a"));
    bench.until(20ms);
    bench.server(udp_frame(false, "b")); // refreshes it
    bench.until(50ms);
    bench.device(udp_frame(true, "c"));
    EXPECT_EQ(wire::parse(bench.sent.back().frame)->source_port, kDevicePort);
    bench.until(81ms);
    bench.server(udp_frame(false, "late"));
    EXPECT_EQ(bench.letters(Side::device), "b");
    bench.device(udp_frame(true, "d"));
    const auto outside = wire::parse(bench.sent.back().frame)->source_port;
    EXPECT_NE(outside, kDevicePort);
    bench.server(udp_frame(false, "e", outside));
    EXPECT_EQ(bench.letters(Side::device), "be");
    EXPECT_EQ(wire::parse(bench.sent.back().frame)->destination_port, kDevicePort);
}

TEST(Wire, EachFlowHasATimeOfItsOwn) {
    Bench bench("", 1, kNat);
    bench.device(udp_frame(true, "a"));
    for (int ms = 10; ms <= 60; ms += 10) {
        bench.until(ms * 1ms);
        bench.device(tcp_frame(true, {}, "b"));
    }
    EXPECT_EQ(wire::parse(bench.sent.back().frame)->source_port, kDevicePort);
    bench.device(udp_frame(true, "c"));
    EXPECT_NE(wire::parse(bench.sent.back().frame)->source_port, kDevicePort);
}

TEST(Wire, WithoutANatNothingExpires) {
    Bench bench("");
    bench.device(udp_frame(true, "a"));
    bench.until(168h);
    bench.server(udp_frame(false, "b"));
    EXPECT_EQ(bench.letters(Side::device), "b");
}

TEST(Wire, RefusesNewConnectionsAndLeavesOldOnesAlone) {
    Bench bench(R"({"number":1,"kind":"refuse","at_ms":0,"for_ms":10})");
    bench.until(1ms);
    bench.letter('a');
    bench.device(tcp_frame(true, {.flags = wire::kSyn, .sequence = 7}, {}, 50001));
    EXPECT_EQ(bench.letters(), "a");
    ASSERT_EQ(bench.sent.size(), 2u);
    EXPECT_EQ(bench.sent[1].to, Side::device);
    EXPECT_EQ(wire::parse(bench.sent[1].frame)->acknowledgement, 8u);
}

TEST(Wire, APacketIsHitItself) {
    Bench bench(
        R"({"number":1,"kind":"loss","packet":{"name":"PUBLISH","number":2,"from":"device"}})");
    for (std::uint32_t i = 0; i < 3; ++i)
        bench.device(tcp_frame(true, {.sequence = 1000 + i * 10}, kQos2));
    EXPECT_EQ(bench.sent.size(), 2u);
    EXPECT_EQ(bench.notes, (std::vector<std::string>{"begin 1", "over 1 after 1"}));
}

TEST(Wire, AnotherQosOrSideDoesNotCount) {
    Bench bench(R"({"number":1,"kind":"loss","packet":{"name":"PUBLISH","qos":1}},)"
                R"({"number":2,"kind":"loss","packet":{"name":"PUBLISH","from":"server"}})");
    bench.device(tcp_frame(true, {}, kQos2));
    EXPECT_EQ(bench.sent.size(), 1u);
    EXPECT_EQ(bench.notes.size(), 0u);
}

TEST(Wire, AnExchangeIsOpenRightAfterItsPacketHasPassed) {
    Bench bench(R"({"number":1,"kind":"link_down","for_ms":10,)"
                R"("packet":{"name":"PUBLISH","qos":2,"after_ms":0}})");
    bench.device(tcp_frame(true, {}, kQos2));
    bench.until(0ms);
    EXPECT_EQ(bench.sent.size(), 1u);
    bench.server(tcp_frame(false, {}, "\x50\x02\x00\x07"s)); // PUBREC
    EXPECT_EQ(bench.sent.size(), 1u);
}

TEST(Wire, CountsNothingBeforeItsStart) {
    wire::Config config = Bench(R"({"number":1,"kind":"loss","packet":{"name":"PUBLISH"}})").config;
    des::EventQueue queue;
    int sent = 0;
    wire::Wire engine(
        queue, config,
        {.send = [&](Side, wire::Span) { ++sent; }, .note = [](unsigned, bool, std::uint64_t) {}});
    engine.from(Side::device, tcp_frame(true, {}, kQos2));
    engine.start();
    engine.from(Side::device, tcp_frame(true, {.sequence = 1010}, kQos2));
    EXPECT_EQ(sent, 1);
}

TEST(Wire, AFaultOutsideIsAnnouncedWithItsLength) {
    Bench bench(R"({"number":4,"kind":"outside","at_ms":5,"for_ms":10})");
    bench.until(5ms);
    EXPECT_EQ(bench.notes, std::vector<std::string>{"begin 4"});
    bench.until(15ms);
    EXPECT_EQ(bench.notes.back(), "over 4 after 0");
}

} // namespace
