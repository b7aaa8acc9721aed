// The access point's side of the 4-way handshake with one station (IEEE 802.11-2016, 12.7.6).
#pragma once

#include <functional>

#include "des/event_queue.hpp"
#include "supplicant.hpp"

namespace air {

class Authenticator {
public:
    struct Host {
        std::function<void(std::vector<std::uint8_t> eapol)> send;
        std::function<void()> authorized; // the station's data are accepted from now on
        std::function<void()> gave_up;    // the station does not answer, or has the wrong key
        std::function<std::uint64_t()> group_packets; // frames sent with the group key
    };

    Authenticator(des::EventQueue &queue, const MasterKey &master, const Key &group,
                  const MacAddress &access_point, const MacAddress &station,
                  des::RandomStream random, Host host);

    // A station that is a member from the beginning: it has its keys already.
    void admit();
    void start();
    void stop() { enter(State::idle); }
    void receive(std::span<const std::uint8_t> frame);
    // The key of the association's data.
    [[nodiscard]] const Key &temporal_key() const { return keys_.temporal; }

private:
    enum class State : std::uint8_t { idle, first_sent, third_sent, done };
    void enter(State state);
    void send();
    void on_timeout();

    des::EventQueue &queue_;
    MasterKey master_;
    Key group_;
    MacAddress access_point_, station_;
    des::RandomStream random_;
    Host host_;
    State state_ = State::idle;
    Nonce nonce_{};
    PairwiseKeys keys_;
    std::uint64_t replay_ = 0;       // of the frame that was sent last
    std::uint64_t first_replay_ = 0; // of the first frame of this state: older ones are not answers
    unsigned attempts_ = 0;
    std::uint64_t timer_ = 0; // of the timer that counts; others are void
};

} // namespace air
