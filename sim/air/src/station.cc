#include "station.hpp"

#include "management.hpp"

namespace air {

namespace {
using namespace std::chrono_literals;
// The time after which a stuck association is restarted.
constexpr Time kJoinRetry = 200ms;
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
                 Standard cell)
    : radio_(radio), peer_(peer), settings_(std::move(settings)), id_(id),
      link_(make_link(settings_, cell)), queue_(settings_.queue_frames),
      sleep_(radio.queue, *this, settings_.sleep,
             des::RandomStream(radio.seed, "sleep-" + settings_.name)) {
    radio_.medium.add(*this, access_parameters(settings_.standard), id_, settings_.hidden_group);
}

void Station::start() {
    sleep_.start();
    for (const StationSettings::Absence &absence : settings_.absences) {
        radio_.queue.schedule(absence.from, [this] { leave(); });
        radio_.queue.schedule(absence.to, [this] { come_back(); });
    }
}

bool Station::send(Frame &&frame) {
    frame.transmitter = id_;
    if (!associated() || !queue_.push(std::move(frame))) {
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
    frame.transmitter = id_;
    frame.receiver = kAccessPoint;
    frame.power_management = power_management;
    frame.created = radio_.now();
    frame.bytes = management_body(kind, settings_.standard, radio_.parameters, 0);
    frame.payload_bytes = static_cast<std::uint32_t>(frame.bytes.size());
    queue_.push_urgent(std::move(frame), burst_.span());
    radio_.medium.request(*this);
}

void Station::on_beacon(const BeaconInfo &beacon) {
    if (associated())
        sleep_.on_beacon(beacon);
}

void Station::on_frame(const Frame &frame) {
    if (frame.kind == FrameKind::authentication) {
        send_mac_frame(FrameKind::association_request, false);
    } else if (frame.kind == FrameKind::association_response) {
        presence_ = Presence::associated;
        ++associations_;
        sleep_.start();
    } else if (frame.receiver == kGroup) {
        sleep_.on_group_frame(frame.more_data);
    } else if (frame.kind == FrameKind::data) {
        sleep_.on_data(frame.more_data);
    }
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
    sleep_.on_mac_frame_done(frame.kind, frame.power_management, acknowledged);
}

// Leaves at once and drops everything in its queue.
void Station::leave() {
    presence_ = Presence::away;
    if (burst_.span() == 0)
        drop_queue();
}

void Station::drop_queue() {
    link_.counters.queue_drops += queue_.size();
    queue_.clear();
    radio_.medium.withdraw(*this);
}

// Open-system authentication, then association: four frames, restarted until they succeed.
void Station::come_back() {
    if (presence_ == Presence::associated)
        return;
    presence_ = Presence::joining;
    sleep_.start();
    if (queue_.empty())
        send_mac_frame(FrameKind::authentication, false);
    radio_.queue.schedule_in(kJoinRetry, [this] {
        if (presence_ == Presence::joining)
            come_back();
    });
}

} // namespace air
