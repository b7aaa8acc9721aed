#include "eapol_key.hpp"

#include <algorithm>

#include <ports/little_endian.hpp>

namespace air {

namespace {

using ports::Bytes;

constexpr std::uint8_t kVersion = 2, kTypeKey = 3, kDescriptorRsn = 2;
constexpr std::size_t kHeaderBytes = 4, kInformation = 5, kReplay = 9, kNonce = 17, kCounter = 65,
                      kMic = 81, kDataLength = 97, kData = 99;
enum Information : unsigned {
    kHmacSha1AndAes = 0x0002, // version of the key descriptor
    kVersionMask = 0x0007,
    kPairwise = 0x0008,
    kInstall = 0x0040,
    kAcknowledge = 0x0080,
    kMicPresent = 0x0100,
    kSecure = 0x0200,
    kEncrypted = 0x1000,
};
constexpr std::uint8_t kVendorElement = 0xdd, kGroupKeyType = 1, kGroupKeyId = 1;
constexpr std::uint8_t kOui[] = {0x00, 0x0f, 0xac};
constexpr std::size_t kGroupKeyBytes = 6 + kKeyBytes; // of the element, without its header
constexpr std::size_t kWrapBlock = 8;

void put_be(Bytes &out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = bytes; i-- > 0;)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::uint64_t get_be(std::span<const std::uint8_t> bytes) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : bytes)
        value = value << 8 | byte;
    return value;
}

} // namespace

Bytes rsn_element() {
    return {0x30, 20,   1, 0, 0x00, 0x0f, 0xac, 4,    1, 0, 0x00,
            0x0f, 0xac, 4, 1, 0,    0x00, 0x0f, 0xac, 2, 0, 0};
}

Bytes group_key_data(const Key &group) {
    Bytes out = rsn_element();
    out.push_back(kVendorElement);
    out.push_back(kGroupKeyBytes);
    ports::put(out, kOui);
    out.insert(out.end(), {kGroupKeyType, kGroupKeyId, 0});
    ports::put(out, group);
    if (out.size() % kWrapBlock != 0) {
        out.push_back(kVendorElement);
        out.resize((out.size() + kWrapBlock - 1) / kWrapBlock * kWrapBlock, 0);
    }
    return out;
}

std::optional<Key> find_group_key(std::span<const std::uint8_t> data) {
    for (std::size_t at = 0; at + 2 <= data.size();) {
        const std::size_t length = data[at + 1];
        const auto body = data.subspan(at + 2, std::min(length, data.size() - at - 2));
        if (body.size() < length)
            break;
        if (data[at] == kVendorElement && length == kGroupKeyBytes &&
            std::ranges::equal(body.first(3), kOui) && body[3] == kGroupKeyType) {
            Key key{};
            std::copy_n(body.begin() + 6, key.size(), key.begin());
            return key;
        }
        at += 2 + length;
    }
    return std::nullopt;
}

Bytes write_eapol_key(const EapolKey &key, const Key *confirmation) {
    unsigned information = kHmacSha1AndAes | kPairwise;
    const auto set = [&](bool wanted, unsigned bit) { information |= wanted ? bit : 0u; };
    set(key.install, kInstall);
    set(key.acknowledge, kAcknowledge);
    set(key.secure, kSecure);
    set(key.encrypted, kEncrypted);
    set(confirmation != nullptr, kMicPresent);
    Bytes out{kVersion, kTypeKey};
    put_be(out, kData - kHeaderBytes + key.data.size(), 2);
    out.push_back(kDescriptorRsn);
    put_be(out, information, 2);
    put_be(out, key.acknowledge ? kKeyBytes : 0, 2);
    put_be(out, key.replay, 8);
    ports::put(out, key.nonce);
    out.resize(kCounter, 0); // the initialization vector is unused
    ports::put_le(out, key.group_packets, 8);
    out.resize(kDataLength, 0); // reserved, and the MIC
    put_be(out, key.data.size(), 2);
    ports::put(out, key.data);
    if (confirmation != nullptr)
        std::ranges::copy(eapol_mic(*confirmation, out), out.begin() + kMic);
    return out;
}

std::optional<EapolKey> read_eapol_key(std::span<const std::uint8_t> frame) {
    if (frame.size() < kData || frame[1] != kTypeKey || frame[4] != kDescriptorRsn)
        return std::nullopt;
    const std::uint64_t body = get_be(frame.subspan(2, 2));
    const std::uint64_t length = get_be(frame.subspan(kDataLength, 2));
    const auto information = static_cast<unsigned>(get_be(frame.subspan(kInformation, 2)));
    if (body + kHeaderBytes > frame.size() || kData + length > body + kHeaderBytes ||
        (information & kVersionMask) != kHmacSha1AndAes || !(information & kPairwise))
        return std::nullopt;
    EapolKey key;
    key.acknowledge = information & kAcknowledge;
    key.install = information & kInstall;
    key.secure = information & kSecure;
    key.encrypted = information & kEncrypted;
    key.mic_present = information & kMicPresent;
    key.replay = get_be(frame.subspan(kReplay, 8));
    for (unsigned i = 0; i < 6; ++i)
        key.group_packets |= std::uint64_t{frame[kCounter + i]} << (8 * i);
    std::copy_n(frame.begin() + kNonce, kNonceBytes, key.nonce.begin());
    const auto data = frame.subspan(kData, length);
    key.data.assign(data.begin(), data.end());
    return key;
}

bool mic_is_right(std::span<const std::uint8_t> frame, const Key &confirmation) {
    if (frame.size() < kData)
        return false;
    Bytes zeroed(frame.begin(), frame.end());
    std::fill_n(zeroed.begin() + kMic, kMicBytes, std::uint8_t{0});
    return std::ranges::equal(eapol_mic(confirmation, zeroed), frame.subspan(kMic, kMicBytes));
}

} // namespace air
