// Are frames read, damaged and answered as their RFCs say?
#include <gtest/gtest.h>

#include "frames.hpp"

namespace {

using namespace std::string_view_literals;
using namespace wire_test;
using wire::parse;

constexpr std::string_view kPublish = "\x30\x07\x00\x01tdata"sv;

TEST(Frame, IsReadUpToTheEndOfItsPacket) {
    const auto parts = parse(tcp_frame(true, {.sequence = 77}, "ab"));
    ASSERT_TRUE(parts);
    EXPECT_TRUE(parts->tcp);
    EXPECT_EQ(parts->sequence, 77u);
    EXPECT_EQ(parts->payload_bytes(), 2u); // without Ethernet's padding
    EXPECT_EQ(parts->destination_port, kMqtt);
}

TEST(Frame, IsRefusedWhenItIsCutOrNoIp) {
    Bytes frame = tcp_frame(true, {}, kPublish);
    EXPECT_FALSE(parse(arp_frame()));
    for (std::size_t length = 0; length < 14 + 20 + 20 + kPublish.size(); ++length)
        EXPECT_FALSE(parse(wire::Span(frame).first(length))) << length;
    frame[20] = 0x20; // more fragments
    EXPECT_FALSE(parse(frame));
}

TEST(Frame, AFlippedBitIsSeenByTheChecksumUnlessItIsCorrected) {
    for (const Bytes &good : {tcp_frame(true, {}, kPublish), udp_frame(true, kPublish)})
        for (std::uint64_t bit = 0; bit < kPublish.size() * 8; ++bit) {
            Bytes bad = good, valid = good;
            wire::flip_bit(bad, *parse(good), bit, false);
            wire::flip_bit(valid, *parse(good), bit, true);
            EXPECT_FALSE(checksums_hold(bad));
            EXPECT_TRUE(checksums_hold(valid));
            std::string changed(kPublish);
            changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (0x80 >> bit % 8));
            EXPECT_EQ(payload_of(valid), changed);
        }
}

TEST(Frame, IsCutWithAndWithoutACorrectedLength) {
    Bytes cut = udp_frame(true, kPublish), valid = cut;
    wire::truncate(cut, *parse(cut), 3, false);
    EXPECT_FALSE(parse(cut));
    wire::truncate(valid, *parse(valid), 3, true);
    EXPECT_TRUE(checksums_hold(valid));
    EXPECT_EQ(payload_of(valid), kPublish.substr(0, kPublish.size() - 3));
    wire::truncate(valid, *parse(valid), 1000, true);
    EXPECT_EQ(payload_of(valid), "");
}

TEST(Frame, PortsChangeWithTheChecksum) {
    Bytes frame = udp_frame(true, kPublish);
    wire::set_ports(frame, *parse(frame), 20000, kCoap);
    EXPECT_TRUE(checksums_hold(frame));
    EXPECT_EQ(parse(frame)->source_port, 20000);
}

TEST(Frame, AResetContinuesTheSendersSequence) {
    const Bytes like = tcp_frame(false, {.sequence = 5000}, "ab");
    const Bytes reset = wire::reset_like(like, *parse(like), 5002);
    const auto parts = parse(reset);
    ASSERT_TRUE(parts);
    EXPECT_TRUE(checksums_hold(reset));
    EXPECT_EQ(parts->flags, wire::kRst);
    EXPECT_EQ(parts->sequence, 5002u);
    EXPECT_EQ(parts->destination_port, kDevicePort);
    EXPECT_EQ(parts->payload_bytes(), 0u);
}

TEST(Frame, ARefusalAcknowledgesTheSyn) { // RFC 9293, 3.10.7.1
    const Bytes syn = tcp_frame(true, {.flags = wire::kSyn, .sequence = 41});
    const Bytes refusal = wire::refusal_of(syn, *parse(syn));
    const auto parts = parse(refusal);
    ASSERT_TRUE(parts);
    EXPECT_TRUE(checksums_hold(refusal));
    EXPECT_EQ(parts->flags, wire::kRst | wire::kAck);
    EXPECT_EQ(parts->sequence, 0u);
    EXPECT_EQ(parts->acknowledgement, 42u);
    EXPECT_EQ(parts->source_port, kMqtt);
    EXPECT_EQ(Bytes(refusal.begin(), refusal.begin() + 6),
              Bytes(syn.begin() + 6, syn.begin() + 12));
}

} // namespace
