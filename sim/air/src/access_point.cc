#include "access_point.hpp"

#include "cell.hpp"

namespace air {

namespace {

// Consecutive failed frames after which a silent station counts as gone.
constexpr unsigned kLossesToDissociate = 5;

// Order of service: group-addressed frames, the shared queue, then one queue for each station.
constexpr std::size_t kGroupQueue = 0;
constexpr std::size_t kSharedQueue = 1;
constexpr std::size_t kFirstStationQueue = 2;

} // namespace

AccessPoint::AccessPoint(Radio &radio, Peer &peer, const AccessPointSettings &settings)
    : radio_(radio), peer_(peer), settings_(settings), beacon_(radio, *this, settings.beacon),
      group_queue_(settings.queue_frames), shared_queue_(settings.queue_frames),
      group_link_{.rate = RateControl(data_rates(Standard::b).first(1), false), .error = {}} {
    radio_.medium.add(*this, access_parameters(settings.beacon.standard), kAccessPoint);
    if (!settings.passphrase.empty()) {
        master_ = master_key(settings.passphrase, network_name());
        des::RandomStream random(radio.seed, "group-key");
        group_key_ = draw_key(random);
    }
}

void AccessPoint::set_stations(const std::vector<Station *> &stations,
                               const std::vector<MacAddress> &addresses) {
    beacon_.set_stations(stations);
    for (Station *station : stations) {
        StationPeer peer{.station = station,
                         .link = Station::make_link(station->settings(), settings_.beacon.standard),
                         .queue = TxQueue(settings_.queue_frames)};
        const bool member = !station->settings().join;
        peer.associated = peer.authorized = member;
        if (master_) {
            peer.authenticator = make_authenticator(
                station->id(), addresses[static_cast<std::size_t>(station->id() - 1)]);
            if (member)
                peer.authenticator->admit();
        }
        peers_.push_back(std::move(peer));
    }
}

std::unique_ptr<Authenticator> AccessPoint::make_authenticator(StationId id,
                                                               const MacAddress &station) {
    return std::make_unique<Authenticator>(
        radio_.queue, *master_, group_key_, access_point_mac(), station,
        des::RandomStream(radio_.seed, "authenticator-" + std::to_string(id)),
        Authenticator::Host{.send =
                                [this, id, station](std::vector<std::uint8_t> eapol) {
                                    push_urgent(peer_of(id),
                                                eapol_frame(station, access_point_mac(), eapol));
                                },
                            .authorized =
                                [this, id] {
                                    peer_of(id).authorized = true;
                                    peer_of(id).link.packet_number = 0;
                                },
                            .gave_up =
                                [this, id] {
                                    StationPeer &peer = peer_of(id);
                                    peer.associated = peer.authorized = false;
                                    send_management(*peer.station, FrameKind::deauthentication);
                                },
                            .group_packets = [this] { return radio_.group_packets; }});
}

bool AccessPoint::send(Frame &&frame) {
    frame.transmitter = kAccessPoint;
    frame.encrypted = radio_.parameters.wpa2;
    if (frame.receiver == kGroup) {
        // Group-addressed frames wait for the DTIM as soon as one station sleeps.
        const bool wait = sleepers_ > 0 && settings_.beacon.enabled;
        const bool taken =
            wait ? beacon_.keep(std::move(frame)) : group_queue_.push(std::move(frame));
        group_link_.counters.queue_drops += taken ? 0 : 1;
        if (taken && !wait)
            radio_.medium.request(*this);
        return taken;
    }
    StationPeer &peer = peer_of(frame.receiver);
    TxQueue &queue = settings_.shared_queue && !peer.power_save ? shared_queue_ : peer.queue;
    if (!peer.associated || !peer.authorized || !queue.push(std::move(frame))) {
        ++peer.link.counters.queue_drops;
        return false;
    }
    if (peer.power_save)
        ++peer.kept_frames;
    else
        radio_.medium.request(*this);
    return true;
}

TxQueue &AccessPoint::queue_at(std::size_t index) {
    return index == kGroupQueue    ? group_queue_
           : index == kSharedQueue ? shared_queue_
                                   : peers_[index - kFirstStationQueue].queue;
}

bool AccessPoint::ready(std::size_t index) const {
    return index == kGroupQueue    ? !group_queue_.empty()
           : index == kSharedQueue ? !shared_queue_.empty()
                                   : sendable(peers_[index - kFirstStationQueue]);
}

// Round robin from the queue after the one served last; a frame to be retransmitted keeps its turn.
std::optional<std::size_t> AccessPoint::next_queue() const {
    const std::size_t count = kFirstStationQueue + peers_.size();
    std::size_t index = served_;
    for (std::size_t step = 0; step <= count; ++step) {
        if ((step > 0 || repeat_) && ready(index))
            return index;
        if (++index == count)
            index = 0;
    }
    return std::nullopt;
}

// Frames at the head of the shared queue whose station is now asleep move to its power-save buffer.
void AccessPoint::set_aside_sleepers() {
    while (!shared_queue_.empty()) {
        StationPeer &peer = peer_of(shared_queue_[0].receiver);
        if (!peer.power_save)
            return;
        ++peer.kept_frames;
        if (!peer.queue.push(Frame(shared_queue_[0])))
            ++peer.link.counters.queue_drops;
        shared_queue_.pop();
    }
}

Transmission AccessPoint::compose() {
    served_ = next_queue().value();
    TxQueue &queue = queue_at(served_);
    if (served_ == kGroupQueue)
        return burst_.compose(queue, group_link_, radio_.context(), true);
    Frame &first = queue[0];
    StationPeer &peer = peer_of(first.receiver);
    // More Data makes a polling station send another PS-Poll.
    first.more_data = peer.power_save && queue.size() > 1;
    return burst_.compose(queue, peer.link, radio_.context(), peer.power_save);
}

Outcome AccessPoint::conclude(bool collided) {
    bool listening = true;
    if (served_ != kGroupQueue)
        listening = peer_of(queue_at(served_)[0].receiver).station->listening();
    lost_ = nullptr;
    const Outcome outcome = burst_.conclude(
        radio_.context(), radio_.medium.access_start(), collided, listening,
        [this](Frame &frame) { deliver(frame); },
        [this](Frame &frame, bool acknowledged) { on_frame_done(frame, acknowledged); });
    repeat_ = outcome == Outcome::unanswered;
    if (lost_ != nullptr)
        dissociate(*lost_);
    set_aside_sleepers();
    return outcome;
}

void AccessPoint::deliver(Frame &frame) {
    if (frame.receiver != kGroup) {
        Station &station = *peer_of(frame.receiver).station;
        station.on_frame(frame);
        if (frame.kind == FrameKind::data)
            peer_.to_station(station, frame);
        return;
    }
    const unsigned bytes = Burst::mpdu_bytes(frame, false);
    for (StationPeer &peer : peers_) {
        if (!peer.station->listening_to_group())
            continue;
        peer.station->on_frame(frame);
        const double loss = peer.link.error.data_loss(radio_.parameters.lowest_basic(), bytes);
        if (!radio_.errors.chance(loss))
            peer_.to_station(*peer.station, frame);
    }
}

void AccessPoint::on_frame_done(Frame &frame, bool acknowledged) {
    if (frame.receiver != kGroup) {
        StationPeer &peer = peer_of(frame.receiver);
        peer.released = false;
        peer.lost_in_row = acknowledged ? 0 : peer.lost_in_row + 1;
        if (peer.lost_in_row >= kLossesToDissociate && !peer.station->associated())
            lost_ = &peer;
    }
    // Not before the frame has left its queue.
    if (frame.kind == FrameKind::association_response && master_)
        radio_.queue.schedule_in(Time(0), [this, id = frame.receiver] {
            if (peer_of(id).associated)
                peer_of(id).authenticator->start();
        });
    if (frame.kind == FrameKind::data)
        peer_.access_point_frame_done(frame, acknowledged);
}

void AccessPoint::dissociate(StationPeer &peer) {
    peer.associated = false;
    peer.authorized = false;
    if (peer.authenticator)
        peer.authenticator->stop();
    peer.link.counters.queue_drops += peer.queue.size();
    peer.queue.clear();
    set_power_save(peer.station->id(), false);
}

void AccessPoint::set_power_save(StationId id, bool power_save) {
    StationPeer &peer = peer_of(id);
    if (peer.power_save == power_save)
        return;
    peer.power_save = power_save;
    peer.released = false;
    if (power_save) {
        ++sleepers_;
        peer.kept_frames += peer.queue.size();
    } else {
        --sleepers_;
        if (!peer.queue.empty())
            radio_.medium.request(*this);
    }
    set_aside_sleepers();
    if (!wants_medium())
        radio_.medium.withdraw(*this);
}

void AccessPoint::on_mac_frame(Station &station, const Frame &frame) {
    StationPeer &peer = peer_of(station.id());
    switch (frame.kind) {
    case FrameKind::probe_request:
        if (!radio_.errors.chance(peer.link.error.data_loss(radio_.parameters.lowest_basic(),
                                                            Burst::mpdu_bytes(frame, false))))
            send_management(station, FrameKind::probe_response);
        break;
    case FrameKind::authentication:
        if (station.settings().join || master_)
            dissociate(peer);
        set_power_save(station.id(), false);
        peer.queue.clear(); // remaining frames belong to an association that has ended
        send_management(station, FrameKind::authentication);
        break;
    case FrameKind::association_request:
        peer.associated = true;
        peer.authorized = !master_;
        peer.lost_in_row = 0;
        send_management(station, FrameKind::association_response);
        break;
    case FrameKind::eapol:
        if (peer.authenticator)
            peer.authenticator->receive(std::span(frame.bytes).subspan(kEthernetHeaderBytes));
        break;
    case FrameKind::deauthentication:
        dissociate(peer);
        break;
    case FrameKind::ps_poll:
        if (peer.power_save && !peer.queue.empty()) {
            peer.released = true;
            radio_.medium.request(*this);
        }
        break;
    default:
        set_power_save(station.id(), frame.power_management);
        break;
    }
}

void AccessPoint::send_management(Station &station, FrameKind kind) {
    Frame frame;
    frame.kind = kind;
    frame.bytes = kind == FrameKind::probe_response
                      ? probe_response()
                      : management_body(kind, settings_.beacon.standard, radio_.parameters,
                                        static_cast<unsigned>(station.id()));
    frame.payload_bytes = static_cast<std::uint32_t>(frame.bytes.size());
    push_urgent(peer_of(station.id()), std::move(frame));
}

// A timer of the handshake may end while a frame of this queue is on the air.
void AccessPoint::push_urgent(StationPeer &peer, Frame &&frame) {
    frame.transmitter = kAccessPoint;
    frame.receiver = peer.station->id();
    frame.created = radio_.now();
    const std::size_t behind = &queue_at(served_) == &peer.queue ? burst_.span() : 0;
    peer.queue.push_urgent(std::move(frame), behind);
    radio_.medium.request(*this);
}

std::vector<std::uint8_t> AccessPoint::probe_response() const {
    BeaconFields fields;
    fields.timestamp = radio_.now();
    fields.interval_tu = settings_.beacon.interval_tu;
    fields.standard = settings_.beacon.standard;
    fields.channel = settings_.beacon.channel;
    fields.long_slot = settings_.beacon.long_slot;
    fields.protection = radio_.parameters.protection;
    fields.traffic_map = false;
    return beacon_body(fields, radio_.parameters);
}

bool AccessPoint::keeps_frames_for(const Station &station) const {
    const StationPeer &peer = peer_of(station.id());
    return peer.power_save && !peer.queue.empty();
}

// Buffered frames have no effect until the next beacon, unless that beacon is due already or the
// station is awake and about to fetch them.
bool AccessPoint::resting(const StationPeer &peer) const {
    return peer.power_save && !peer.released && !peer.station->listening() &&
           !beacon_.wants_medium();
}

unsigned AccessPoint::outside_contending() const {
    unsigned count =
        group_queue_.outside() + shared_queue_.outside() + beacon_.outside_on_the_way();
    for (const StationPeer &peer : peers_)
        if (!resting(peer))
            count += peer.queue.outside();
    return count;
}

unsigned AccessPoint::outside_kept() const {
    unsigned count = beacon_.outside() - beacon_.outside_on_the_way();
    for (const StationPeer &peer : peers_)
        if (resting(peer))
            count += peer.queue.outside();
    return count;
}

} // namespace air
