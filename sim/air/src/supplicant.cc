#include "supplicant.hpp"

namespace air {

namespace {

void draw(des::RandomStream &random, std::span<std::uint8_t> bytes) {
    for (std::uint8_t &byte : bytes)
        byte = static_cast<std::uint8_t>(random.integer(0, 255));
}

} // namespace

Nonce draw_nonce(des::RandomStream &random) {
    Nonce nonce{};
    draw(random, nonce);
    return nonce;
}

Key draw_key(des::RandomStream &random) {
    Key key{};
    draw(random, key);
    return key;
}

Supplicant::Supplicant(const MasterKey &master, const MacAddress &access_point,
                       const MacAddress &station, des::RandomStream random)
    : master_(master), access_point_(access_point), station_(station), random_(random) {}

void Supplicant::start() {
    nonce_ = draw_nonce(random_);
    derived_ = complete_ = any_replay_ = false;
}

std::vector<std::uint8_t> Supplicant::answer(std::span<const std::uint8_t> frame) {
    const auto key = read_eapol_key(frame);
    if (!key || !key->acknowledge || (any_replay_ && key->replay <= replay_))
        return {};
    if (!key->mic_present)
        return answer_first(*key);
    if (!derived_ || !mic_is_right(frame, keys_.confirmation))
        return {};
    return answer_third(*key);
}

std::vector<std::uint8_t> Supplicant::answer_first(const EapolKey &key) {
    keys_ = pairwise_keys(master_, access_point_, station_, key.nonce, nonce_);
    derived_ = true;
    EapolKey second;
    second.replay = key.replay;
    second.nonce = nonce_;
    second.data = rsn_element();
    return write_eapol_key(second, &keys_.confirmation);
}

std::vector<std::uint8_t> Supplicant::answer_third(const EapolKey &key) {
    // Before the first frame with a MIC the counter proves nothing (12.7.6.3).
    any_replay_ = true;
    replay_ = key.replay;
    if (!key.encrypted || !find_group_key(unwrap_key(keys_.encryption, key.data)))
        return {};
    complete_ = true;
    EapolKey fourth;
    fourth.replay = key.replay;
    fourth.secure = true;
    return write_eapol_key(fourth, &keys_.confirmation);
}

} // namespace air
