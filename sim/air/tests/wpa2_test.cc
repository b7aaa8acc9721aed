#include <gtest/gtest.h>
#include <string>

#include "authenticator.hpp"
#include "ccmp.hpp"
#include "supplicant.hpp"

namespace {

using namespace std::chrono_literals;
using namespace air;
using Bytes = std::vector<std::uint8_t>;

Bytes hex(const std::string &text) {
    Bytes out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return out;
}

template <typename Array> Array array_of(const std::string &text) {
    Array out{};
    const Bytes bytes = hex(text);
    std::copy_n(bytes.begin(), out.size(), out.begin());
    return out;
}

Bytes bytes_of(const auto &array) {
    return {array.begin(), array.end()};
}

// IEEE 802.11-2016, J.4.2.
TEST(Wpa2, MasterKeyOfTheStandardsExample) {
    EXPECT_EQ(bytes_of(master_key("password", "IEEE")),
              hex("f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"));
}

// RFC 3394, 4.1.
TEST(Wpa2, KeyWrapOfTheRfcsExample) {
    const auto key = array_of<Key>("000102030405060708090a0b0c0d0e0f");
    const Bytes data = hex("00112233445566778899aabbccddeeff");
    const Bytes wrapped = wrap_key(key, data);
    EXPECT_EQ(wrapped, hex("1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"));
    EXPECT_EQ(unwrap_key(key, wrapped), data);
    EXPECT_TRUE(unwrap_key(Key{}, wrapped).empty());
}

// IEEE 802.11-2016, J.6.4.
TEST(Wpa2, CcmpOfTheStandardsExample) {
    const auto key = array_of<Key>("c97c1f67ce371185514a8a19f2bdd52f");
    const std::uint64_t packet_number = 0xb5039776e70c;
    const Bytes header = hex("0848c32c0fd2e128a57c5030f1844408abaea5b8fcba8033");
    const Bytes plain = hex("f8ba1a55d02f85ae967bb62fb6cda8eb7e78a050");
    EXPECT_EQ(ccmp_header(packet_number, kPairwiseKey), hex("0ce70020769703b5"));
    EXPECT_EQ(ccmp_encrypt(key, packet_number, header, plain),
              hex("f3d0a2fe9a3dbf2342a643e43246e80c3c04d0197845ce0b16f97623"));
}

const MacAddress kAp{2, 0, 0, 0, 0, 0xff}, kStation{2, 0, 0, 0, 0, 1};

// Both sides of a handshake; the test passes frames, or loses them.
struct Handshake {
    explicit Handshake(const std::string &of_station = "thinwire")
        : supplicant(master_key(of_station, "thinwire"), kAp, kStation,
                     des::RandomStream(1, "supplicant")),
          authenticator(queue, master_key("thinwire", "thinwire"),
                        array_of<Key>("000102030405060708090a0b0c0d0e0f"), kAp, kStation,
                        des::RandomStream(1, "authenticator"),
                        {.send = [this](Bytes frame) { sent.push_back(std::move(frame)); },
                         .authorized = [this] { authorized = true; },
                         .gave_up = [this] { gave_up = queue.now(); },
                         .group_packets = [] { return 0; }}) {
        supplicant.start();
        authenticator.start();
    }
    des::EventQueue queue;
    std::vector<Bytes> sent;
    bool authorized = false;
    Time gave_up{0};
    Supplicant supplicant;
    Authenticator authenticator;
};

TEST(Wpa2, FourFramesMakeKeys) {
    Handshake h;
    h.authenticator.receive(h.supplicant.answer(h.sent.at(0)));
    EXPECT_FALSE(h.supplicant.complete());
    h.authenticator.receive(h.supplicant.answer(h.sent.at(1)));
    EXPECT_TRUE(h.supplicant.complete());
    EXPECT_TRUE(h.authorized);
    h.queue.run_until(10s);
    EXPECT_EQ(h.sent.size(), 2u);
}

TEST(Wpa2, AWrongPassphraseIsGivenUpAfterFourAttempts) {
    Handshake h("otherwire");
    h.authenticator.receive(h.supplicant.answer(h.sent.at(0)));
    h.queue.run_until(10s);
    EXPECT_EQ(h.sent.size(), 4u);
    EXPECT_EQ(h.gave_up, 3100ms); // 100 ms, then a second each
    EXPECT_FALSE(h.supplicant.complete());
}

TEST(Wpa2, ALostFourthFrameIsRepeated) {
    Handshake h;
    h.authenticator.receive(h.supplicant.answer(h.sent.at(0)));
    EXPECT_FALSE(h.supplicant.answer(h.sent.at(1)).empty());
    h.queue.run_until(150ms);
    h.authenticator.receive(h.supplicant.answer(h.sent.at(2)));
    EXPECT_TRUE(h.authorized);
}

TEST(Wpa2, AReplayedThirdFrameGetsNoAnswer) {
    Handshake h;
    h.authenticator.receive(h.supplicant.answer(h.sent.at(0)));
    EXPECT_FALSE(h.supplicant.answer(h.sent.at(1)).empty());
    EXPECT_TRUE(h.supplicant.answer(h.sent.at(1)).empty());
}

// No damage of a single octet makes a key, and none is read beyond its end.
TEST(Wpa2, DamagedFramesAreIgnored) {
    Handshake h;
    const Bytes second = h.supplicant.answer(h.sent.at(0));
    for (std::size_t i = 0; i < second.size(); ++i) {
        Bytes damaged = second;
        damaged[i] ^= 0xff;
        if (i == 0 || (i >= 7 && i < 9)) // the version and the key length, which say nothing here
            continue;
        h.authenticator.receive(damaged);
        h.authenticator.receive(std::span(second).first(i));
        ASSERT_EQ(h.sent.size(), 1u) << "octet " << i;
    }
    h.authenticator.receive(second);
    EXPECT_EQ(h.sent.size(), 2u);
}

TEST(Wpa2, KeyDataWithoutAKeyOrCutShort) {
    const auto key = array_of<Key>("000102030405060708090a0b0c0d0e0f");
    const Bytes data = group_key_data(key);
    EXPECT_EQ(data.size() % 8, 0u);
    EXPECT_EQ(find_group_key(data), key);
    EXPECT_FALSE(find_group_key(rsn_element()));
    for (std::size_t i = 0; i < 46; ++i)
        EXPECT_FALSE(find_group_key(std::span(data).first(i)));
}

} // namespace
