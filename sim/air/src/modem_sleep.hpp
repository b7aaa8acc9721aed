// Power save of one station: when its radio sleeps, and how it fetches buffered frames from the
// access point. IEEE 802.11-2016, 11.2.3. The parameters' defaults are those of the ESP8266's modem
// sleep (README.md).
#pragma once

#include "des/event_queue.hpp"
#include "des/random.hpp"
#include "frame.hpp"

namespace air {

struct BeaconInfo {
    bool traffic = false;       // the station's bit in the TIM
    bool group_traffic = false; // group-addressed frames follow this DTIM
    bool dtim = false;
};

class ModemSleep {
public:
    enum class Fetch : std::uint8_t { null_frame, ps_poll };
    struct Parameters {
        bool enabled = false;
        Time idle{0};                 // sleep after this time without traffic
        unsigned listen_interval = 0; // wake for every n-th beacon; 0: for every DTIM
        Time beacon_window{0};        // awake around each beacon it listens to
        Fetch fetch = Fetch::null_frame;
        Time fetch_delay{0}; // from a beacon that names the station until it fetches its frames
        // At this share of the beacons that do not name the station, it announces itself awake as
        // if they did, and sleeps again after this time without traffic.
        double idle_wake_share = 0;
        Time idle_wake{0};
    };
    // What power save requests of the station.
    class Host {
    public:
        virtual ~Host() = default;
        virtual void send_mac_frame(FrameKind kind, bool power_management) = 0;
        [[nodiscard]] virtual bool has_frames() const = 0;
    };

    ModemSleep(des::EventQueue &queue, Host &host, const Parameters &parameters,
               des::RandomStream random);

    // The station joined the cell: awake, and idle from now on.
    void start();
    // A frame was sent or received: stay awake.
    void on_activity();
    // The host wants to send: wake up without an announcement; the frame's PM bit informs the
    // access point.
    void on_host_frame();
    void on_beacon(const BeaconInfo &beacon);
    void on_data(bool more_data);
    void on_group_frame(bool more_data);
    // The announcement or the poll was delivered, or was given up.
    void on_mac_frame_done(FrameKind kind, bool power_management, bool acknowledged);

    // Radio on for frames addressed to the station, or to all.
    [[nodiscard]] bool listening() const { return state_ != State::dozing; }
    [[nodiscard]] bool listening_to_group() const { return listening() || group_window_; }
    [[nodiscard]] bool awake() const { return state_ == State::awake; }
    // When it will fetch frames from the access point; kNever if it does not intend to.
    [[nodiscard]] Time next_fetch() const {
        return state_ == State::waking ? fetch_at_ : des::kNever;
    }
    // Time with the radio on, until now.
    [[nodiscard]] Time awake_time() const;
    [[nodiscard]] std::uint64_t naps() const { return naps_; }

private:
    enum class State : std::uint8_t { awake, announcing, dozing, waking, polling };
    void enter(State state);
    void wake_to_fetch(bool named);
    void arm_idle_timer();
    void on_idle_timer();
    void fetch();

    des::EventQueue &queue_;
    Host &host_;
    Parameters parameters_;
    des::RandomStream random_;
    State state_ = State::awake;
    bool group_window_ = false;
    bool timer_armed_ = false;
    bool idle_wake_ = false; // awake by idle_wake_share, without traffic so far
    unsigned beacons_ = 0;
    Time last_activity_{0};
    Time fetch_at_{0};
    Time awake_since_{0};
    Time awake_total_{0};
    std::uint64_t naps_ = 0;
};

} // namespace air
