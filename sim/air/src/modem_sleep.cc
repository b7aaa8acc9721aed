#include "modem_sleep.hpp"

#include <algorithm>

namespace air {

ModemSleep::ModemSleep(des::EventQueue &queue, Host &host, const Parameters &parameters,
                       des::RandomStream random)
    : queue_(queue), host_(host), parameters_(parameters), random_(random) {}

void ModemSleep::start() {
    enter(State::awake);
    on_activity();
}

void ModemSleep::enter(State state) {
    const Time now = queue_.now();
    if (state_ != State::dozing)
        awake_total_ += now - awake_since_;
    awake_since_ = now;
    naps_ += state == State::dozing && state_ != State::dozing ? 1 : 0;
    state_ = state;
    group_window_ = false;
}

Time ModemSleep::awake_time() const {
    return awake_total_ + (state_ == State::dozing ? Time(0) : queue_.now() - awake_since_);
}

void ModemSleep::on_activity() {
    if (!parameters_.enabled)
        return;
    last_activity_ = queue_.now();
    idle_wake_ = false;
    if (state_ == State::awake)
        arm_idle_timer();
}

// One timer for all activity: it reads the clock when it fires, and restarts itself.
void ModemSleep::arm_idle_timer() {
    if (timer_armed_)
        return;
    timer_armed_ = true;
    const Time at = std::max(last_activity_ + parameters_.idle, queue_.now());
    queue_.schedule(at, [this] { on_idle_timer(); });
}

void ModemSleep::on_idle_timer() {
    timer_armed_ = false;
    if (state_ != State::awake)
        return;
    if (host_.has_frames())
        last_activity_ = queue_.now();
    if (queue_.now() - last_activity_ < parameters_.idle) {
        arm_idle_timer();
        return;
    }
    enter(State::announcing);
    host_.send_mac_frame(FrameKind::null, true);
}

void ModemSleep::on_host_frame() {
    if (!parameters_.enabled)
        return;
    if (state_ != State::awake)
        enter(State::awake);
    on_activity();
}

void ModemSleep::on_mac_frame_done(FrameKind kind, bool power_management, bool acknowledged) {
    if (kind == FrameKind::null && power_management && state_ == State::announcing) {
        enter(acknowledged ? State::dozing : State::awake);
        if (!acknowledged)
            on_activity();
    } else if (kind == FrameKind::null && !power_management && !idle_wake_) {
        on_activity();
    } else if (kind == FrameKind::ps_poll && state_ == State::polling && !acknowledged) {
        enter(State::dozing); // the next beacon announces the frames again
    }
}

void ModemSleep::on_beacon(const BeaconInfo &beacon) {
    // The frame of a poll never came (it was given up or dropped): this beacon shows whether to
    // poll again.
    if (state_ == State::polling)
        enter(State::dozing);
    if (state_ != State::dozing)
        return;
    ++beacons_;
    const bool listens = parameters_.listen_interval == 0
                             ? beacon.dtim
                             : beacons_ % parameters_.listen_interval == 0;
    if (!listens)
        return;
    awake_total_ += parameters_.beacon_window;
    if (beacon.traffic || random_.chance(parameters_.idle_wake_share))
        wake_to_fetch(beacon.traffic);
    group_window_ = beacon.group_traffic;
}

void ModemSleep::wake_to_fetch(bool named) {
    enter(State::waking);
    idle_wake_ = !named;
    fetch_at_ = queue_.now() + parameters_.fetch_delay;
    if (parameters_.fetch_delay == Time(0))
        fetch();
    else
        queue_.schedule(fetch_at_, [this] { fetch(); });
}

// Fetch the frames buffered at the access point, unless the station has sent a frame meanwhile.
void ModemSleep::fetch() {
    if (state_ != State::waking)
        return;
    if (parameters_.fetch == Fetch::null_frame) {
        enter(State::awake);
        host_.send_mac_frame(FrameKind::null, false);
        if (idle_wake_) {
            last_activity_ = queue_.now() - parameters_.idle + parameters_.idle_wake;
            arm_idle_timer();
        } else {
            on_activity();
        }
    } else {
        enter(State::polling);
        host_.send_mac_frame(FrameKind::ps_poll, true);
    }
}

void ModemSleep::on_data(bool more_data) {
    if (state_ != State::polling) {
        on_activity();
    } else if (more_data) {
        host_.send_mac_frame(FrameKind::ps_poll, true);
    } else {
        enter(State::dozing);
    }
}

void ModemSleep::on_group_frame(bool more_data) {
    if (!more_data)
        group_window_ = false;
}

} // namespace air
