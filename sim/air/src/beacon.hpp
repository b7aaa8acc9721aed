// The access point's beacons, and the group-addressed frames that follow a DTIM.
// IEEE 802.11-2016, 11.1.3 (beacons) and 11.2.3 (TIM, buffering).
#pragma once

#include <memory>

#include "management.hpp"
#include "radio.hpp"
#include "station.hpp"

namespace air {

struct BeaconSettings {
    bool enabled = true;
    std::uint16_t interval_tu = 100; // 1 TU = 1024 us
    unsigned dtim_period = 1;
    // The traffic map is written this long before the beacon's time: a later frame waits for the
    // next beacon.
    Time map_lead{0};
    Standard standard = Standard::g;
    unsigned channel = 1;
    bool long_slot = false;
};

// A separate transmitter beside the access point's data: PIFS and no backoff, so that beacons are
// sent as soon after their target time as the medium allows.
class Beacon final : public Contender {
public:
    class Peer {
    public:
        virtual ~Peer() = default;
        // Whether frames for this station wait at the access point.
        [[nodiscard]] virtual bool keeps_frames_for(const Station &station) const = 0;
        virtual void group_frame_sent(Frame &frame) = 0;
    };

    Beacon(Radio &radio, Peer &peer, const BeaconSettings &settings);

    void set_stations(std::vector<Station *> stations);
    void start();
    // Keeps a group-addressed frame until the next DTIM. Returns false when the buffer is full.
    bool keep(Frame &&frame);
    [[nodiscard]] unsigned outside() const { return kept_.outside() + queue_.outside(); }
    [[nodiscard]] unsigned outside_on_the_way() const { return queue_.outside(); }
    // The next target beacon transmission time; kNever without beacons.
    [[nodiscard]] Time next_target() const { return next_target_; }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }
    [[nodiscard]] const Link &link() const { return link_; }

    Transmission compose() override;
    Outcome conclude(bool collided) override;
    [[nodiscard]] bool wants_medium() const override { return !queue_.empty(); }

private:
    void on_target();
    void write_map();
    void prepare();
    void deliver(Frame &frame);

    Radio &radio_;
    Peer &peer_;
    BeaconSettings settings_;
    std::vector<Station *> stations_; // by association identifier, from 1
    TxQueue kept_;
    TxQueue queue_;
    Link link_;
    Burst burst_;
    Time next_target_ = des::kNever;
    std::unique_ptr<bool[]> map_; // by association identifier, from 1
    std::uint64_t targets_ = 0;
    std::uint64_t sent_ = 0;
    bool dtim_ = false;
    bool group_traffic_ = false;
};

} // namespace air
