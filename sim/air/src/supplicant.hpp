// A station's side of the 4-way handshake (IEEE 802.11-2016, 12.7.6).
#pragma once

#include "des/random.hpp"
#include "eapol_key.hpp"

namespace air {

class Supplicant {
public:
    Supplicant(const MasterKey &master, const MacAddress &access_point, const MacAddress &station,
               des::RandomStream random);

    // A new association: no key is installed.
    void start();
    // Returns the answer to a frame of the access point; empty if it gets none.
    std::vector<std::uint8_t> answer(std::span<const std::uint8_t> frame);
    // The keys are installed.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    std::vector<std::uint8_t> answer_first(const EapolKey &key);
    std::vector<std::uint8_t> answer_third(const EapolKey &key);

    MasterKey master_;
    MacAddress access_point_, station_;
    des::RandomStream random_;
    Nonce nonce_{};
    PairwiseKeys keys_;
    bool derived_ = false;
    bool complete_ = false;
    bool any_replay_ = false;
    std::uint64_t replay_ = 0;
};

// 32 bytes of a stream.
Nonce draw_nonce(des::RandomStream &random);
Key draw_key(des::RandomStream &random);

} // namespace air
