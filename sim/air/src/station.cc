#include "station.hpp"

#include "cell.hpp"
#include "management.hpp"

namespace air {

namespace {

using namespace std::chrono_literals;
// Longer than any frame is on the air.
constexpr Time kLongestAccess = 20ms;

std::unique_ptr<Supplicant> make_supplicant(const Radio &radio, const StationSettings &settings,
                                            const StationPlace &place) {
    if (place.master == nullptr)
        return nullptr;
    MasterKey master = *place.master;
    if (settings.join && !settings.join->passphrase.empty())
        master = master_key(settings.join->passphrase, network_name());
    return std::make_unique<Supplicant>(
        master, access_point_mac(), place.station,
        des::RandomStream(radio.seed, "supplicant-" + settings.name));
}

} // namespace

std::span<const RateIndex> Station::rates_up_to(Standard standard, RateIndex top) {
    const auto rates = data_rates(standard);
    std::size_t count = 0;
    while (rates[count] != top)
        ++count;
    return rates.first(count + 1);
}

Link Station::make_link(const StationSettings &settings, Standard cell) {
    const bool ht = settings.standard == Standard::n && cell == Standard::n;
    return Link{.rate = RateControl(rates_up_to(settings.standard, settings.top_rate),
                                    settings.rate_fallback),
                .error = settings.error,
                .qos = ht,
                .aggregate = ht};
}

Station::Station(Radio &radio, StationPeer &peer, StationSettings settings, StationId id,
                 const StationPlace &place)
    : radio_(radio), peer_(peer), settings_(std::move(settings)), id_(id),
      link_(make_link(settings_, place.standard)), queue_(settings_.queue_frames),
      sleep_(radio.queue, *this, settings_.sleep,
             des::RandomStream(radio.seed, "sleep-" + settings_.name)),
      mac_(place.station), join_(radio.queue, *this, settings_.join, place.channel,
                                 make_supplicant(radio, settings_, place)) {
    radio_.medium.add(*this, access_parameters(settings_.standard), id_, settings_.hidden_group);
}

void Station::start() {
    sleep_.start();
    if (settings_.join) {
        presence_ = Presence::away;
        on_ = false;
        if (!settings_.join->by_port)
            turn_on();
    }
    for (const StationSettings::Absence &absence : settings_.absences) {
        radio_.queue.schedule(absence.from, [this] {
            in_reach_ = false;
            leave();
        });
        radio_.queue.schedule(absence.to, [this] {
            in_reach_ = true;
            come_back();
        });
    }
}

void Station::turn_on() {
    leave();
    off_total_ = off_time();
    on_ = true;
    leaving_ = false;
    // A frame of the time before a reset ends first.
    radio_.queue.schedule_in(burst_.span() == 0 ? Time(0) : kLongestAccess, [this] {
        if (presence_ == Presence::away)
            come_back();
    });
}

// A member says that it leaves (reason 3); with the frame's end it is gone.
void Station::turn_off() {
    if (!on_)
        return;
    on_ = false;
    off_since_ = radio_.now();
    sleep_.start(); // it counts as awake, from which the time without power is taken
    if (presence_ != Presence::associated) {
        leave();
        return;
    }
    leaving_ = true;
    send_mac_frame(FrameKind::deauthentication, false);
}

bool Station::send(Frame &&frame) {
    frame.transmitter = id_;
    frame.encrypted = radio_.parameters.wpa2;
    if (!associated() || leaving_ || !queue_.push(std::move(frame))) {
        ++link_.counters.queue_drops;
        return false;
    }
    sleep_.on_host_frame();
    radio_.medium.request(*this);
    return true;
}

void Station::send_mac_frame(FrameKind kind, bool power_management) {
    Frame frame;
    frame.kind = kind;
    frame.receiver = kind == FrameKind::probe_request ? kGroup : kAccessPoint;
    frame.power_management = power_management;
    frame.bytes = management_body(kind, settings_.standard, radio_.parameters, 0);
    frame.payload_bytes = static_cast<std::uint32_t>(frame.bytes.size());
    push_urgent(std::move(frame));
}

void Station::send_eapol(std::vector<std::uint8_t> eapol) {
    Frame frame = eapol_frame(access_point_mac(), mac_, eapol);
    frame.receiver = kAccessPoint;
    push_urgent(std::move(frame));
}

void Station::push_urgent(Frame &&frame) {
    frame.transmitter = id_;
    frame.created = radio_.now();
    queue_.push_urgent(std::move(frame), burst_.span());
    radio_.medium.request(*this);
}

void Station::on_beacon(const BeaconInfo &beacon) {
    if (associated())
        sleep_.on_beacon(beacon);
    else if (joining())
        join_.on_beacon();
}

void Station::on_frame(const Frame &frame) {
    if (frame.receiver == kGroup) {
        sleep_.on_group_frame(frame.more_data);
    } else if (frame.kind == FrameKind::data) {
        sleep_.on_data(frame.more_data);
    } else if (frame.kind == FrameKind::deauthentication) {
        leave();
        come_back();
    } else {
        join_.on_frame(frame);
    }
}

void Station::joined() {
    presence_ = Presence::associated;
    ++associations_;
    link_.packet_number = 0;
    sleep_.start();
    peer_.station_joined(*this);
}

Transmission Station::compose() {
    Frame &first = queue_[0];
    // The PM bit: data frames announce that the station is awake, the sleep announcement that it
    // sleeps.
    if (first.kind == FrameKind::data)
        first.power_management = settings_.sleep.enabled && !sleep_.awake();
    return burst_.compose(queue_, link_, radio_.context(), false);
}

Outcome Station::conclude(bool collided) {
    const Outcome outcome = burst_.conclude(
        radio_.context(), radio_.medium.access_start(), collided, present(),
        [this](Frame &frame) { peer_.from_station(*this, frame); },
        [this](Frame &frame, bool acknowledged) { on_own_frame_done(frame, acknowledged); });
    if (!present())
        drop_queue();
    return outcome;
}

void Station::on_own_frame_done(Frame &frame, bool acknowledged) {
    if (frame.kind == FrameKind::data) {
        sleep_.on_activity();
        peer_.station_frame_done(*this, frame, acknowledged);
        return;
    }
    if (frame.kind == FrameKind::deauthentication) {
        presence_ = Presence::away; // conclude() empties the queue
        return;
    }
    join_.on_sent(frame.kind);
    sleep_.on_mac_frame_done(frame.kind, frame.power_management, acknowledged);
}

// Leaves at once and drops everything in its queue.
void Station::leave() {
    presence_ = Presence::away;
    join_.stop();
    if (burst_.span() == 0)
        drop_queue();
}

void Station::drop_queue() {
    link_.counters.queue_drops += queue_.size();
    queue_.clear();
    radio_.medium.withdraw(*this);
}

void Station::come_back() {
    if (presence_ == Presence::associated || !on_ || !in_reach_)
        return;
    presence_ = Presence::joining;
    sleep_.start();
    join_.begin();
}

} // namespace air
