// The access point's data path: a queue for each station, buffers for sleeping stations, and the
// associations.
#pragma once

#include <optional>

#include "authenticator.hpp"
#include "beacon.hpp"

namespace air {

struct AccessPointSettings {
    bool shared_queue = false;      // one FIFO for all, as simple access points have
    std::size_t queue_frames = 100; // of each queue
    BeaconSettings beacon;
    std::string passphrase; // of WPA2; empty: open
};

class AccessPoint final : public Contender, private Beacon::Peer {
public:
    class Peer {
    public:
        virtual ~Peer() = default;
        // A data frame that a station's MAC received; group-addressed ones once for each station.
        virtual void to_station(Station &station, Frame &frame) = 0;
        virtual void access_point_frame_done(Frame &frame, bool acknowledged) = 0;
    };

    AccessPoint(Radio &radio, Peer &peer, const AccessPointSettings &settings);

    void set_stations(const std::vector<Station *> &stations,
                      const std::vector<MacAddress> &addresses);
    void start() { beacon_.start(); }
    // Of WPA2; null in an open cell.
    [[nodiscard]] const MasterKey *master() const { return master_ ? &*master_ : nullptr; }
    // Data of this station are accepted: it has associated, and has its keys under WPA2.
    [[nodiscard]] bool authorized(StationId id) const { return peer_of(id).authorized; }
    [[nodiscard]] const Key &temporal_key(StationId id) const {
        return id == kGroup ? group_key_ : peer_of(id).authenticator->temporal_key();
    }
    // Sends a data frame to frame.receiver (or all). Returns false when it was dropped.
    bool send(Frame &&frame);
    // A frame of the MAC came from the station (authentication, association, null, PS-Poll), or the
    // power management bit of its data.
    void on_mac_frame(Station &station, const Frame &frame);
    void set_power_save(StationId id, bool power_save);

    // Frames from ports that compete for the medium now, and those that wait for a beacon.
    [[nodiscard]] unsigned outside_contending() const;
    [[nodiscard]] unsigned outside_kept() const;
    [[nodiscard]] const Beacon &beacon() const { return beacon_; }
    [[nodiscard]] const Link &link_to(StationId id) const { return peer_of(id).link; }
    [[nodiscard]] const Link &group_link() const { return group_link_; }
    [[nodiscard]] std::uint64_t kept_frames(StationId id) const { return peer_of(id).kept_frames; }

    Transmission compose() override;
    Outcome conclude(bool collided) override;
    [[nodiscard]] bool wants_medium() const override { return next_queue().has_value(); }

private:
    struct StationPeer {
        Station *station;
        Link link;
        TxQueue queue;
        bool associated = true;
        bool authorized = true;
        std::unique_ptr<Authenticator> authenticator = nullptr; // of WPA2
        bool power_save = false;
        bool released = false; // one frame, by PS-Poll
        unsigned lost_in_row = 0;
        std::uint64_t kept_frames = 0; // frames that had to wait for the station to wake up
    };
    [[nodiscard]] StationPeer &peer_of(StationId id) {
        return peers_[static_cast<std::size_t>(id - 1)];
    }
    [[nodiscard]] const StationPeer &peer_of(StationId id) const {
        return peers_[static_cast<std::size_t>(id - 1)];
    }
    // The queues in the order of service, and the one whose turn it is.
    [[nodiscard]] TxQueue &queue_at(std::size_t index);
    [[nodiscard]] bool ready(std::size_t index) const;
    [[nodiscard]] std::optional<std::size_t> next_queue() const;
    [[nodiscard]] bool sendable(const StationPeer &peer) const {
        return !peer.queue.empty() && (!peer.power_save || peer.released);
    }
    [[nodiscard]] bool resting(const StationPeer &peer) const;
    void set_aside_sleepers();
    void send_management(Station &station, FrameKind kind);
    void push_urgent(StationPeer &peer, Frame &&frame);
    [[nodiscard]] std::unique_ptr<Authenticator> make_authenticator(StationId id,
                                                                    const MacAddress &station);
    [[nodiscard]] std::vector<std::uint8_t> probe_response() const;
    void dissociate(StationPeer &peer);
    void deliver(Frame &frame);
    void on_frame_done(Frame &frame, bool acknowledged);
    [[nodiscard]] bool keeps_frames_for(const Station &station) const override;
    void group_frame_sent(Frame &frame) override { deliver(frame); }

    Radio &radio_;
    Peer &peer_;
    AccessPointSettings settings_;
    Beacon beacon_;
    TxQueue group_queue_;
    TxQueue shared_queue_;
    Link group_link_;
    std::vector<StationPeer> peers_;
    Burst burst_;
    std::size_t served_ = 0; // index of the queue that was served last
    bool repeat_ = false;    // its frame is to be retransmitted
    unsigned sleepers_ = 0;
    StationPeer *lost_ = nullptr;
    std::optional<MasterKey> master_;
    Key group_key_{};
};

} // namespace air
