// How a station enters the cell: it scans, authenticates, associates, and under WPA2 makes its keys
// (IEEE 802.11-2016, 11.1.4, 11.3 and 12.7.6).
#pragma once

#include <memory>
#include <optional>

#include "des/event_queue.hpp"
#include "supplicant.hpp"

namespace air {

struct JoinSettings {
    // What precedes authentication: nothing is known, or the channel and the access point are.
    enum class Scan : std::uint8_t { active, passive, cached };
    Scan scan = Scan::active;
    unsigned channels = 13; // from 1; the cached one is the cell's
    Time active_dwell{0};   // on each channel, after a probe request
    Time passive_dwell{0};  // on each channel, listening for beacons
    std::string passphrase; // of this station; empty: the cell's
    bool by_port = false;   // its host turns the radio on and off; else it joins at time 0
};

// When the steps of one join ended.
struct JoinTimes {
    Time began{0}, scanned{0}, authenticated{0}, associated{0}, joined{0};
};

class Join {
public:
    class Host {
    public:
        virtual ~Host() = default;
        virtual void send_mac_frame(FrameKind kind, bool power_management) = 0;
        virtual void send_eapol(std::vector<std::uint8_t> eapol) = 0;
        // Nothing of an earlier attempt waits to be sent.
        [[nodiscard]] virtual bool nothing_queued() const = 0;
        virtual void joined() = 0;
    };

    // Without settings the station only authenticates and associates. `supplicant`: of WPA2; null
    // in an open cell.
    Join(des::EventQueue &queue, Host &host, const std::optional<JoinSettings> &settings,
         unsigned channel, std::unique_ptr<Supplicant> supplicant);

    void begin();
    void stop() { enter(Step::none); }
    void on_beacon();
    void on_frame(const Frame &frame);
    // A frame of the station's MAC left its queue.
    void on_sent(FrameKind kind);

    [[nodiscard]] bool under_way() const { return step_ != Step::none; }
    // Its radio is on the cell's channel.
    [[nodiscard]] bool tuned() const { return step_ != Step::scan || channel_ == own_channel_; }
    [[nodiscard]] const std::vector<JoinTimes> &times() const { return times_; }

private:
    enum class Step : std::uint8_t { none, scan, authenticate, associate, handshake };
    void enter(Step step);
    void after(Time wait, void (Join::*action)());
    void visit(unsigned channel);
    void leave_channel();
    // Late answers to an earlier attempt are ignored.
    [[nodiscard]] bool strict() const { return settings_.has_value() || supplicant_ != nullptr; }
    void found() { found_ = found_ || (step_ == Step::scan && tuned()); }
    void authenticate();
    void on_eapol(const Frame &frame);
    void finish();

    des::EventQueue &queue_;
    Host &host_;
    std::optional<JoinSettings> settings_;
    unsigned own_channel_;
    std::unique_ptr<Supplicant> supplicant_;
    Step step_ = Step::none;
    unsigned channel_ = 0;
    bool found_ = false;
    std::uint64_t timer_ = 0; // of the timer that counts; others are void
    JoinTimes current_;
    std::vector<JoinTimes> times_;
};

} // namespace air
