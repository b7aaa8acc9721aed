// A station of the cell: its transmitter, its power save, its association.
#pragma once

#include <string>

#include "join.hpp"
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
    // The station has joined the cell.
    virtual void station_joined(Station &station) = 0;
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
    // How it enters the cell; without it the station is a member from the beginning, and needs no
    // scan when it comes back.
    std::optional<JoinSettings> join;
};

// What a station must know of its cell.
struct StationPlace {
    Standard standard = Standard::g;
    unsigned channel = 1;
    MacAddress station{};
    const MasterKey *master = nullptr; // of WPA2; null in an open cell
};

class Station final : public Contender, private ModemSleep::Host, private Join::Host {
public:
    Station(Radio &radio, StationPeer &peer, StationSettings settings, StationId id,
            const StationPlace &place);

    // Begins the station's life in the cell: associated, joining, or with its radio off. Call once,
    // before the run.
    void start();
    // Its host turns the radio on, also after a reset without a word, and off.
    void turn_on();
    void turn_off();
    // Accepts a data frame from the host. Returns false when it was dropped.
    bool send(Frame &&frame);
    void on_beacon(const BeaconInfo &beacon);
    // A frame of the access point that this station's MAC received.
    void on_frame(const Frame &frame);

    [[nodiscard]] StationId id() const { return id_; }
    [[nodiscard]] const StationSettings &settings() const { return settings_; }
    [[nodiscard]] bool present() const { return presence_ != Presence::away; }
    [[nodiscard]] bool associated() const { return presence_ == Presence::associated; }
    [[nodiscard]] bool joining() const { return presence_ == Presence::joining; }
    [[nodiscard]] bool listening() const {
        return present() && join_.tuned() && sleep_.listening();
    }
    [[nodiscard]] bool listening_to_group() const {
        return associated() && sleep_.listening_to_group();
    }
    [[nodiscard]] Time next_fetch() const { return sleep_.next_fetch(); }
    [[nodiscard]] const Link &link() const { return link_; }
    [[nodiscard]] const TxQueue &queue() const { return queue_; }
    [[nodiscard]] const ModemSleep &sleep() const { return sleep_; }
    [[nodiscard]] std::uint64_t associations() const { return associations_; }
    // Time with the radio's power off, and with the radio on and not dozing, until now.
    [[nodiscard]] Time off_time() const {
        return off_total_ + (on_ ? Time(0) : radio_.now() - off_since_);
    }
    [[nodiscard]] Time awake_time() const { return sleep_.awake_time() - off_time(); }
    [[nodiscard]] const std::vector<JoinTimes> &joins() const { return join_.times(); }
    // Rates up to the station's own, for either direction of its link.
    static std::span<const RateIndex> rates_up_to(Standard standard, RateIndex top);
    static Link make_link(const StationSettings &settings, Standard cell);

    Transmission compose() override;
    Outcome conclude(bool collided) override;
    [[nodiscard]] bool wants_medium() const override { return present() && !queue_.empty(); }

private:
    enum class Presence : std::uint8_t { associated, away, joining };
    void send_mac_frame(FrameKind kind, bool power_management) override;
    void send_eapol(std::vector<std::uint8_t> eapol) override;
    void push_urgent(Frame &&frame);
    [[nodiscard]] bool nothing_queued() const override { return queue_.empty(); }
    void joined() override;
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
    MacAddress mac_;
    Join join_;
    Presence presence_ = Presence::associated;
    Time off_since_{0};
    Time off_total_{0};
    bool on_ = true;       // the radio has power
    bool in_reach_ = true; // no absence
    bool leaving_ = false; // its deauthentication is on the way
    std::uint64_t associations_ = 0;
};

} // namespace air
