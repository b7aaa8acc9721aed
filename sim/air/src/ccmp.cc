#include "ccmp.hpp"

namespace air {

namespace {

constexpr unsigned kExtendedIv = 0x20, kKeyShift = 6;
// Bits of Frame Control that may change between attempts are zero in the authenticated data: part
// of the subtype, Retry, Power Management and More Data.
constexpr std::uint8_t kMask0 = 0x8f, kMask1 = 0xc7;
constexpr std::uint8_t kFragmentMask = 0x0f, kTidMask = 0x0f;
constexpr std::size_t kAddresses = 4, kSecondAddress = 10, kSequence = 22, kQosControl = 24;

std::uint8_t octet(std::uint64_t value, unsigned index) {
    return static_cast<std::uint8_t>(value >> (8 * index));
}

} // namespace

std::vector<std::uint8_t> ccmp_header(std::uint64_t packet_number, unsigned key) {
    return {octet(packet_number, 0),
            octet(packet_number, 1),
            0,
            static_cast<std::uint8_t>(kExtendedIv | key << kKeyShift),
            octet(packet_number, 2),
            octet(packet_number, 3),
            octet(packet_number, 4),
            octet(packet_number, 5)};
}

std::vector<std::uint8_t> ccmp_encrypt(const Key &key, std::uint64_t packet_number,
                                       std::span<const std::uint8_t> header,
                                       std::span<const std::uint8_t> payload) {
    const bool qos = header.size() > kQosControl;
    const std::uint8_t priority =
        qos ? static_cast<std::uint8_t>(header[kQosControl] & kTidMask) : std::uint8_t{0};
    std::vector<std::uint8_t> authenticated{static_cast<std::uint8_t>(header[0] & kMask0),
                                            static_cast<std::uint8_t>(header[1] & kMask1)};
    const auto addresses = header.subspan(kAddresses, 3 * sizeof(MacAddress));
    authenticated.insert(authenticated.end(), addresses.begin(), addresses.end());
    authenticated.push_back(header[kSequence] & kFragmentMask);
    authenticated.push_back(0);
    if (qos) {
        authenticated.push_back(priority);
        authenticated.push_back(0);
    }
    std::vector<std::uint8_t> nonce{priority};
    const auto sender = header.subspan(kSecondAddress, sizeof(MacAddress));
    nonce.insert(nonce.end(), sender.begin(), sender.end());
    for (unsigned i = 6; i-- > 0;)
        nonce.push_back(octet(packet_number, i));
    return ccm_encrypt(key, nonce, authenticated, payload);
}

} // namespace air
