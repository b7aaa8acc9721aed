// A station of the cell: its transmitter, its power save, its association.
#pragma once

#include <string>

#include "modem_sleep.hpp"
#include "radio.hpp"

namespace air {

class Station;

// What a station passes to the access point and to its own host.
class StationPeer {
public:
    virtual ~StationPeer() = default;
    // A frame of the station that the access point's MAC received, in order.
    virtual void from_station(Station &station, Frame &frame) = 0;
    // A data frame that left the station's queue.
    virtual void station_frame_done(Station &station, Frame &frame, bool acknowledged) = 0;
};

struct StationSettings {
    std::string name;
    MacAddress mac{};
    Standard standard = Standard::g;
    RateIndex top_rate = kOfdm6;
    bool rate_fallback = false;
    ErrorModel error;
    Group hidden_group = kHeardByAll;
    std::size_t queue_frames = 100;
    ModemSleep::Parameters sleep;
    struct Absence {
        Time from;
        Time to;
    };
    std::vector<Absence> absences; // in order of time, not overlapping
};

class Station final : public Contender, private ModemSleep::Host {
public:
    Station(Radio &radio, StationPeer &peer, StationSettings settings, StationId id, Standard cell);

    // Begins the station's life in the cell, associated. Call once, before the run.
    void start();
    // Accepts a data frame from the host. Returns false when it was dropped.
    bool send(Frame &&frame);
    void on_beacon(const BeaconInfo &beacon);
    // A frame of the access point that this station's MAC received.
    void on_frame(const Frame &frame);

    [[nodiscard]] StationId id() const { return id_; }
    [[nodiscard]] const StationSettings &settings() const { return settings_; }
    [[nodiscard]] bool present() const { return presence_ != Presence::away; }
    [[nodiscard]] bool associated() const { return presence_ == Presence::associated; }
    [[nodiscard]] bool listening() const { return present() && sleep_.listening(); }
    [[nodiscard]] bool listening_to_group() const {
        return associated() && sleep_.listening_to_group();
    }
    [[nodiscard]] Time next_fetch() const { return sleep_.next_fetch(); }
    [[nodiscard]] const Link &link() const { return link_; }
    [[nodiscard]] const TxQueue &queue() const { return queue_; }
    [[nodiscard]] const ModemSleep &sleep() const { return sleep_; }
    [[nodiscard]] std::uint64_t associations() const { return associations_; }
    // Rates up to the station's own, for either direction of its link.
    static std::span<const RateIndex> rates_up_to(Standard standard, RateIndex top);
    static Link make_link(const StationSettings &settings, Standard cell);

    Transmission compose() override;
    Outcome conclude(bool collided) override;
    [[nodiscard]] bool wants_medium() const override { return present() && !queue_.empty(); }

private:
    enum class Presence : std::uint8_t { associated, away, joining };
    void send_mac_frame(FrameKind kind, bool power_management) override;
    // Also true while the station is not associated, since it must not sleep then.
    [[nodiscard]] bool has_frames() const override { return !associated() || !queue_.empty(); }
    void leave();
    void drop_queue();
    void come_back();
    void on_own_frame_done(Frame &frame, bool acknowledged);

    Radio &radio_;
    StationPeer &peer_;
    StationSettings settings_;
    StationId id_;
    Link link_;
    TxQueue queue_;
    Burst burst_;
    ModemSleep sleep_;
    Presence presence_ = Presence::associated;
    std::uint64_t associations_ = 0;
};

} // namespace air
