// Transport against a network of fixed delay: which packets leave, and when.
#include "session.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace nbiot {
namespace {

struct Sent {
    double at_s;
    Side from;
    Packet packet;
};

class FixedNetwork final : public SessionHost {
public:
    FixedNetwork(const std::string &stack, int payload, double delay_s)
        : stack_(make_stack(stack, payload)), delay_s_(delay_s) {
        session_.reset(0, stack_, transport);
    }
    void run(double until_s) {
        session_.start(*this);
        queue_.run_until(des::from_seconds(until_s));
    }
    void send(Session &, Side from, const Packet &packet) override {
        sent.push_back({now_s(), from, packet});
        if (lose && lose(sent.back()))
            return;
        packets_.push_back(packet);
        queue_.schedule_in(des::from_seconds(delay_s_), [this, i = packets_.size() - 1, from] {
            session_.receive(*this, other(from), packets_[i]);
        });
    }
    des::EventHandle start_timer(Session &, Side side, double seconds) override {
        return queue_.schedule_in(des::from_seconds(seconds),
                                  [this, side] { session_.timeout(*this, side); });
    }
    void stop_timer(des::EventHandle handle) override { queue_.cancel(handle); }
    [[nodiscard]] double now_s() const override { return des::to_seconds(queue_.now()); }
    des::RandomStream &transport_random() override { return random_; }
    void delivered(Session &) override { delivered_s = now_s(); }
    void finished(Session &) override { finished_s = now_s(); }

    Transport transport;
    std::vector<Sent> sent;
    std::function<bool(const Sent &)> lose;
    double delivered_s = -1, finished_s = -1;

private:
    Stack stack_;
    double delay_s_;
    des::EventQueue queue_;
    des::RandomStream random_{1, "test.session"};
    Session session_;
    std::vector<Packet> packets_;
};

TEST(Coap, NonConfirmableIsOneDatagram) {
    FixedNetwork network("coap-non", 25, 0.5);
    network.run(60);
    ASSERT_EQ(network.sent.size(), 1u);
    EXPECT_EQ(network.sent[0].packet.bytes, 40 + 8 + 25);
    EXPECT_DOUBLE_EQ(network.delivered_s, 0.5);
}

TEST(Coap, ConfirmableIsAcknowledged) {
    FixedNetwork network("coap-con", 25, 0.5);
    network.run(60);
    ASSERT_EQ(network.sent.size(), 2u);
    EXPECT_EQ(network.sent[1].packet.bytes, 40 + 8 + 4);
    EXPECT_DOUBLE_EQ(network.finished_s, 1.0);
}

TEST(Coap, RepeatsFourTimesWithDoublingTimeouts) {
    FixedNetwork network("coap-con", 25, 0.5);
    network.lose = [](const Sent &) { return true; };
    network.run(200);
    ASSERT_EQ(network.sent.size(), 5u); // RFC 7252 4.8: MAX_RETRANSMIT 4
    const double first = network.sent[1].at_s;
    EXPECT_GE(first, 2.0);
    EXPECT_LE(first, 3.0);
    for (std::size_t i = 2; i < 5; ++i)
        EXPECT_NEAR(network.sent[i].at_s - network.sent[i - 1].at_s, first * (1 << (i - 1)), 1e-6);
    EXPECT_NEAR(network.finished_s, first * 31, 1e-6);
    EXPECT_LT(network.delivered_s, 0);
}

TEST(Coap, ARepeatedRequestIsAnsweredAgain) {
    FixedNetwork network("coap-con", 25, 1.5); // round trip of 3 s: one spurious repeat
    network.run(60);
    int answers = 0;
    for (const Sent &s : network.sent)
        answers += s.from == Side::kCloud;
    EXPECT_EQ(answers, static_cast<int>(network.sent.size()) - answers);
    EXPECT_EQ(network.sent.size(), 4u);
    EXPECT_DOUBLE_EQ(network.delivered_s, 1.5);
}

TEST(Dtls, ResumesInOneRoundTripBeforeTheReport) {
    FixedNetwork network("coap-dtls-psk", 25, 0.5);
    network.run(60);
    ASSERT_EQ(network.sent.size(), 5u);
    EXPECT_EQ(network.sent[0].packet.bytes, 48 + 130);
    EXPECT_EQ(network.sent[1].packet.bytes, 48 + 146);
    EXPECT_EQ(network.sent[2].packet.bytes, 48 + 55);
    EXPECT_EQ(network.sent[3].packet.bytes, 48 + 25 + 11);
    EXPECT_DOUBLE_EQ(network.delivered_s, 1.5);
}

TEST(Tcp, ShakesHandsBeforeTheReport) {
    FixedNetwork network("mqtt", 400, 0.25);
    network.run(60);
    ASSERT_EQ(network.sent.size(), 5u); // SYN, SYN-ACK, ACK, data, ACK
    EXPECT_EQ(network.sent[0].packet.bytes, 40 + 24);
    EXPECT_EQ(network.sent[1].packet.bytes, 40 + 24);
    EXPECT_EQ(network.sent[2].packet.bytes, 40 + 20);
    EXPECT_EQ(network.sent[3].packet.bytes, 40 + 20 + 400);
    EXPECT_EQ(network.sent[4].packet.bytes, 40 + 20);
    EXPECT_DOUBLE_EQ(network.delivered_s, 0.75);
    EXPECT_DOUBLE_EQ(network.finished_s, 1.0);
}

TEST(Tcp, FastOpenSavesARoundTrip) {
    FixedNetwork network("mqtt-tfo", 400, 0.25);
    network.run(60);
    EXPECT_EQ(network.sent[0].packet.bytes, 40 + 24 + 12 + 400);
    EXPECT_DOUBLE_EQ(network.delivered_s, 0.25);
    EXPECT_DOUBLE_EQ(network.finished_s, 0.5);
}

TEST(Tcp, AnOpenConnectionSavesTheHandshake) {
    FixedNetwork network("mqtt-persistent", 400, 0.25);
    network.run(60);
    ASSERT_EQ(network.sent.size(), 2u);
    EXPECT_DOUBLE_EQ(network.delivered_s, 0.25);
}

TEST(Tcp, RepeatsTheSynAfterOneSecondThenTwo) {
    FixedNetwork network("mqtt", 25, 0.25);
    network.lose = [&](const Sent &s) { return s.at_s < 2; };
    network.run(60);
    EXPECT_DOUBLE_EQ(network.sent[1].at_s, 1);
    EXPECT_DOUBLE_EQ(network.sent[2].at_s, 3);
    EXPECT_DOUBLE_EQ(network.delivered_s, 3.75);
}

TEST(Tcp, ASlowNetworkCausesSpuriousRepeatsButOneReport) {
    FixedNetwork network("mqtt", 25, 0.8); // round trip 1.6 s against the first timeout of 1 s
    network.run(60);
    int syns = 0;
    for (const Sent &s : network.sent)
        syns += s.packet.syn && s.from == Side::kDevice;
    EXPECT_EQ(syns, 2);
    EXPECT_DOUBLE_EQ(network.delivered_s, 2.4);
    EXPECT_GT(network.finished_s, network.delivered_s);
}

TEST(Tcp, StartsWithThreeSegmentsAndNeverFliesMoreThanTen) {
    FixedNetwork network("mqtt", 40 * 1220, 0.25);
    network.run(60);
    std::vector<int> burst; // data segments of the device in each round trip
    double start = -1;
    for (const Sent &s : network.sent)
        if (s.from == Side::kDevice && s.packet.length > 0) {
            if (s.at_s > start + 1e-9) {
                burst.push_back(0);
                start = s.at_s;
            }
            ++burst.back();
        }
    ASSERT_GE(burst.size(), 4u);
    EXPECT_EQ(burst[0], 3);
    EXPECT_EQ(burst[1], 6);
    EXPECT_EQ(burst[2], 10);
    EXPECT_EQ(*std::max_element(burst.begin(), burst.end()), 10);
    EXPECT_GT(network.delivered_s, 0);
}

TEST(Tls, ResumptionCarriesTheReportInItsThirdFlight) {
    FixedNetwork network("mqtt-tls-psk", 25, 0.25);
    network.run(60);
    EXPECT_DOUBLE_EQ(network.delivered_s, 1.25); // SYN, SYN-ACK, hello, hello, finished + report
}

TEST(Stacks, AreAllDelivered) {
    for (const std::string &name : stack_names()) {
        FixedNetwork network(name, 100, 0.1);
        network.run(60);
        EXPECT_GT(network.delivered_s, 0) << name;
        EXPECT_GE(network.finished_s, network.delivered_s) << name;
        for (const Sent &s : network.sent)
            EXPECT_LE(s.at_s, 1) << name;
    }
}

} // namespace
} // namespace nbiot
