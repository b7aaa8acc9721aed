#include "wpa2_keys.hpp"

#include <algorithm>
#include <stdexcept>

#include <mbedtls/ccm.h>
#include <mbedtls/md.h>
#include <mbedtls/nist_kw.h>
#include <mbedtls/pkcs5.h>

namespace air {

namespace {

constexpr unsigned kRounds = 4096, kKeyBits = 8 * kKeyBytes;
constexpr std::size_t kSha1Bytes = 20, kCcmMicBytes = 8, kWrapBytes = 8;
constexpr std::string_view kExpansion = "Pairwise key expansion";

// mbedTLS refuses only arguments that are wrong, or a lack of memory.
void expect(int status) {
    if (status != 0)
        throw std::runtime_error("mbedTLS: error " + std::to_string(status));
}

const std::uint8_t *bytes_of(std::string_view text) {
    return reinterpret_cast<const std::uint8_t *>(text.data());
}

std::array<std::uint8_t, kSha1Bytes> hmac(std::span<const std::uint8_t> key,
                                          std::span<const std::uint8_t> data) {
    std::array<std::uint8_t, kSha1Bytes> out{};
    expect(mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA1), key.data(), key.size(),
                           data.data(), data.size(), out.data()));
    return out;
}

struct Wrapping {
    mbedtls_nist_kw_context context;
    Wrapping(const Key &key, bool wraps) {
        mbedtls_nist_kw_init(&context);
        expect(mbedtls_nist_kw_setkey(&context, MBEDTLS_CIPHER_ID_AES, key.data(), kKeyBits,
                                      wraps ? 1 : 0));
    }
    ~Wrapping() { mbedtls_nist_kw_free(&context); }
    Wrapping(const Wrapping &) = delete;
    Wrapping &operator=(const Wrapping &) = delete;
};

} // namespace

MasterKey master_key(std::string_view passphrase, std::string_view ssid) {
    MasterKey out{};
    expect(mbedtls_pkcs5_pbkdf2_hmac_ext(MBEDTLS_MD_SHA1, bytes_of(passphrase), passphrase.size(),
                                         bytes_of(ssid), ssid.size(), kRounds, out.size(),
                                         out.data()));
    return out;
}

PairwiseKeys pairwise_keys(const MasterKey &master, const MacAddress &access_point,
                           const MacAddress &station, const Nonce &of_access_point,
                           const Nonce &of_station) {
    std::vector<std::uint8_t> data(bytes_of(kExpansion), bytes_of(kExpansion) + kExpansion.size());
    data.push_back(0);
    const auto add = [&](const auto &low, const auto &high) {
        data.insert(data.end(), low.begin(), low.end());
        data.insert(data.end(), high.begin(), high.end());
    };
    add(std::min(access_point, station), std::max(access_point, station));
    add(std::min(of_access_point, of_station), std::max(of_access_point, of_station));
    data.push_back(0); // the number of the round
    std::vector<std::uint8_t> stream;
    for (; stream.size() < 3 * kKeyBytes; ++data.back()) {
        const auto part = hmac(master, data);
        stream.insert(stream.end(), part.begin(), part.end());
    }
    PairwiseKeys keys;
    std::copy_n(stream.begin(), kKeyBytes, keys.confirmation.begin());
    std::copy_n(stream.begin() + kKeyBytes, kKeyBytes, keys.encryption.begin());
    std::copy_n(stream.begin() + 2 * kKeyBytes, kKeyBytes, keys.temporal.begin());
    return keys;
}

Mic eapol_mic(const Key &confirmation, std::span<const std::uint8_t> frame) {
    Mic mic{};
    const auto whole = hmac(confirmation, frame);
    std::copy_n(whole.begin(), mic.size(), mic.begin());
    return mic;
}

std::vector<std::uint8_t> wrap_key(const Key &encryption, std::span<const std::uint8_t> data) {
    Wrapping wrapping(encryption, true);
    std::vector<std::uint8_t> out(data.size() + kWrapBytes);
    std::size_t size = 0;
    expect(mbedtls_nist_kw_wrap(&wrapping.context, MBEDTLS_KW_MODE_KW, data.data(), data.size(),
                                out.data(), &size, out.size()));
    return out;
}

std::vector<std::uint8_t> unwrap_key(const Key &encryption, std::span<const std::uint8_t> wrapped) {
    Wrapping wrapping(encryption, false);
    std::vector<std::uint8_t> out(wrapped.size());
    std::size_t size = 0;
    if (mbedtls_nist_kw_unwrap(&wrapping.context, MBEDTLS_KW_MODE_KW, wrapped.data(),
                               wrapped.size(), out.data(), &size, out.size()) != 0)
        size = 0;
    out.resize(size);
    return out;
}

std::vector<std::uint8_t> ccm_encrypt(const Key &key, std::span<const std::uint8_t> nonce,
                                      std::span<const std::uint8_t> authenticated,
                                      std::span<const std::uint8_t> plain) {
    mbedtls_ccm_context context;
    mbedtls_ccm_init(&context);
    std::vector<std::uint8_t> out(plain.size() + kCcmMicBytes);
    int status = mbedtls_ccm_setkey(&context, MBEDTLS_CIPHER_ID_AES, key.data(), kKeyBits);
    if (status == 0)
        status =
            mbedtls_ccm_encrypt_and_tag(&context, plain.size(), nonce.data(), nonce.size(),
                                        authenticated.data(), authenticated.size(), plain.data(),
                                        out.data(), out.data() + plain.size(), kCcmMicBytes);
    mbedtls_ccm_free(&context);
    expect(status);
    return out;
}

} // namespace air
