// Are packets recognised, whatever TCP makes of their bytes?
#include <gtest/gtest.h>

#include "frames.hpp"
#include "packets.hpp"

namespace {

using namespace std::string_literals;
using namespace wire_test;
using wire::Application;
using wire::Packets;
using wire::Side;
using Names = std::vector<std::string>;

const std::string kConnect = "\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02"s + "b1";
const std::string kPublish = "\x34\x08\x00\x01t\x00\x07"s + "abc"; // QoS 2

Names names(Packets &packets, Side side, const Bytes &frame) {
    Names found;
    for (const wire::Packet &packet : packets.in(side, frame, *wire::parse(frame)))
        found.emplace_back(packet.name);
    return found;
}

TEST(Packets, TwoInOneSegment) {
    Packets packets(Application::mqtt, kMqtt);
    const Bytes frame = tcp_frame(true, {}, kConnect + kPublish);
    EXPECT_EQ(names(packets, Side::device, frame), (Names{"DATA", "CONNECT", "PUBLISH"}));
}

TEST(Packets, TheQosOfAPublish) {
    Packets packets(Application::mqtt, kMqtt);
    const Bytes frame = tcp_frame(true, {}, kPublish);
    EXPECT_EQ(packets.in(Side::device, frame, *wire::parse(frame)).back().qos, 2u);
}

TEST(Packets, OneOverSeveralSegmentsCountsOnce) {
    const std::string both = kConnect + kPublish;
    for (std::size_t cut = 1; cut < both.size(); ++cut) {
        Packets packets(Application::mqtt, kMqtt);
        Names all = names(packets, Side::device, tcp_frame(true, {}, both.substr(0, cut)));
        const Bytes rest =
            tcp_frame(true, {.sequence = 1000 + static_cast<std::uint32_t>(cut)}, both.substr(cut));
        for (const std::string &name : names(packets, Side::device, rest))
            all.push_back(name);
        std::erase(all, "DATA");
        EXPECT_EQ(all, (Names{"CONNECT", "PUBLISH"})) << cut;
    }
}

TEST(Packets, ARetransmissionHasNone) {
    Packets packets(Application::mqtt, kMqtt);
    const Bytes frame = tcp_frame(true, {}, kPublish);
    names(packets, Side::device, frame);
    EXPECT_EQ(names(packets, Side::device, frame), Names{"DATA"});
    const Bytes longer = tcp_frame(true, {}, kPublish + kPublish);
    EXPECT_EQ(names(packets, Side::device, longer), (Names{"DATA", "PUBLISH"}));
}

TEST(Packets, ANewConnectionFromTheSamePortBeginsAnew) {
    Packets packets(Application::mqtt, kMqtt);
    names(packets, Side::device, tcp_frame(true, {}, kPublish.substr(0, 5)));
    names(packets, Side::device, tcp_frame(true, {.flags = wire::kSyn, .sequence = 9}));
    const Bytes first = tcp_frame(true, {.sequence = 10}, kConnect);
    EXPECT_EQ(names(packets, Side::device, first), (Names{"DATA", "CONNECT"}));
}

TEST(Packets, OfCoapAndOfTcp) {
    Packets coap(Application::coap, kCoap), tcp(Application::other, kMqtt);
    EXPECT_EQ(names(coap, Side::device, udp_frame(true, "\x40\x03\x12\x34"s)),
              (Names{"DATA", "CON"}));
    EXPECT_EQ(names(coap, Side::server, udp_frame(false, "\x60\x44\x12\x34"s)),
              (Names{"DATA", "ACK"}));
    EXPECT_EQ(names(tcp, Side::device, tcp_frame(true, {.flags = wire::kSyn})), Names{"SYN"});
}

TEST(Packets, OfAnotherPortAreNone) {
    Packets packets(Application::mqtt, 8883);
    EXPECT_EQ(names(packets, Side::device, tcp_frame(true, {}, kConnect)), Names{});
}

} // namespace
