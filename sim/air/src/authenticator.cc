#include "authenticator.hpp"

namespace air {

namespace {

using namespace std::chrono_literals;
// hostapd's: wpa_auth.c, eapol_key_timeout_first, eapol_key_timeout_subseq and
// wpa_pairwise_update_count.
constexpr Time kFirstTimeout = 100ms, kNextTimeout = 1s;
constexpr unsigned kAttempts = 4;

} // namespace

Authenticator::Authenticator(des::EventQueue &queue, const MasterKey &master, const Key &group,
                             const MacAddress &access_point, const MacAddress &station,
                             des::RandomStream random, Host host)
    : queue_(queue), master_(master), group_(group), access_point_(access_point), station_(station),
      random_(random), host_(std::move(host)) {}

void Authenticator::admit() {
    nonce_ = draw_nonce(random_);
    keys_ = pairwise_keys(master_, access_point_, station_, nonce_, draw_nonce(random_));
    enter(State::done);
}

void Authenticator::enter(State state) {
    state_ = state;
    attempts_ = 0;
    first_replay_ = replay_ + 1;
    ++timer_;
}

void Authenticator::start() {
    nonce_ = draw_nonce(random_);
    replay_ = 0;
    enter(State::first_sent);
    send();
}

void Authenticator::send() {
    EapolKey key;
    key.acknowledge = true;
    key.nonce = nonce_;
    key.replay = ++replay_;
    if (state_ == State::third_sent) {
        key.install = key.secure = key.encrypted = true;
        key.group_packets = host_.group_packets();
        key.data = wrap_key(keys_.encryption, group_key_data(group_));
    }
    host_.send(write_eapol_key(key, state_ == State::third_sent ? &keys_.confirmation : nullptr));
    const std::uint64_t timer = ++timer_;
    queue_.schedule_in(attempts_++ == 0 ? kFirstTimeout : kNextTimeout, [this, timer] {
        if (timer == timer_)
            on_timeout();
    });
}

void Authenticator::on_timeout() {
    if (attempts_ < kAttempts) {
        send();
        return;
    }
    enter(State::idle);
    host_.gave_up();
}

void Authenticator::receive(std::span<const std::uint8_t> frame) {
    const auto key = read_eapol_key(frame);
    if (!key || key->acknowledge || !key->mic_present || key->replay < first_replay_ ||
        key->replay > replay_)
        return;
    if (state_ == State::first_sent && !key->secure) {
        const PairwiseKeys keys =
            pairwise_keys(master_, access_point_, station_, nonce_, key->nonce);
        if (!mic_is_right(frame, keys.confirmation) || key->data != rsn_element())
            return;
        keys_ = keys;
        enter(State::third_sent);
        send();
    } else if (state_ == State::third_sent && key->secure &&
               mic_is_right(frame, keys_.confirmation)) {
        enter(State::done);
        host_.authorized();
    }
}

} // namespace air
