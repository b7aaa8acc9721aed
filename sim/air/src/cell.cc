#include "cell.hpp"

#include <algorithm>

#include "applications.hpp"
#include "ethernet.hpp"
#include "ports/radio_control.hpp"

namespace air {

namespace {

constexpr std::size_t kLargestEthernet = 1518; // 1500 bytes of payload, header, VLAN tag

std::uint16_t flow_number(StationId id) {
    return static_cast<std::uint16_t>(id);
}

MacAddress address_at(std::span<const std::uint8_t> ethernet, std::size_t offset) {
    MacAddress address;
    std::copy_n(ethernet.begin() + static_cast<std::ptrdiff_t>(offset), address.size(),
                address.begin());
    return address;
}

// Ethernet's padding is removed before a frame enters the air.
Frame data_frame(std::span<const std::uint8_t> padded, StationId receiver, Time now) {
    const std::span<const std::uint8_t> ethernet = without_padding(padded);
    Frame frame;
    frame.receiver = receiver;
    frame.created = now;
    frame.payload_bytes = static_cast<std::uint32_t>(ethernet.size() - kEthernetHeaderBytes);
    frame.bytes.assign(ethernet.begin(), ethernet.end());
    return frame;
}

} // namespace

// Locally administered addresses: 02 "TW" and a number.
MacAddress access_point_mac() {
    return {0x02, 0x54, 0x57, 0xff, 0x00, 0x00};
}
MacAddress wired_mac() {
    return {0x02, 0x54, 0x57, 0xff, 0x00, 0x01};
}
MacAddress default_station_mac(StationId id) {
    return {
        0x02, 0x54, 0x57, 0x00, static_cast<std::uint8_t>(id >> 8), static_cast<std::uint8_t>(id)};
}

Frame eapol_frame(const MacAddress &to, const MacAddress &from,
                  std::span<const std::uint8_t> eapol) {
    Frame frame;
    frame.kind = FrameKind::eapol;
    frame.payload_bytes = static_cast<std::uint32_t>(eapol.size());
    frame.bytes.assign(to.begin(), to.end());
    frame.bytes.insert(frame.bytes.end(), from.begin(), from.end());
    frame.bytes.insert(frame.bytes.end(), {0x88, 0x8e});
    frame.bytes.insert(frame.bytes.end(), eapol.begin(), eapol.end());
    return frame;
}

Cell::Cell(des::EventQueue &queue, const CellConfig &config, Outside outside)
    : config_(config), outside_(std::move(outside)), queue_(queue),
      radio_(queue, config.parameters, config.seed),
      access_point_(radio_, *this, config_.access_point) {
    const bool has_b = config_.access_point.beacon.long_slot;
    radio_.medium.set_timing(cell_timing(has_b));
    const RateIndex slowest = has_b ? kDsss1 : kOfdm6;
    if (config_.parameters.eifs)
        radio_.medium.set_eifs_beyond_difs(radio_.medium.timing().sifs +
                                           ppdu_duration(slowest, kAckBytes, false));
    for (const StationConfig &station : config_.stations)
        add_station(station);
    std::vector<Station *> stations;
    for (const auto &station : stations_)
        stations.push_back(station.get());
    access_point_.set_stations(stations, macs_);
}

void Cell::add_station(const StationConfig &station) {
    const auto id = static_cast<StationId>(stations_.size() + 1);
    StationPeer &self = *this;
    macs_.push_back(station.mac_given ? station.settings.mac : default_station_mac(id));
    const BeaconSettings &beacon = config_.access_point.beacon;
    stations_.push_back(std::make_unique<Station>(
        radio_, self, station.settings, id,
        StationPlace{beacon.standard, beacon.channel, macs_.back(), access_point_.master()}));
    mac_known_.push_back(station.mac_given);
    if (station.mac_given)
        addresses_[station.settings.mac] = id;
    flows_.push_back(make_flow(station, id));
    delays_.push_back(nullptr);
    if (!station.arrival_delay.empty())
        delays_.back() = std::make_unique<DelayLine>(
            queue_, station.arrival_delay, config_.seed, "arrival-" + station.settings.name,
            [this, id](auto frame) { outside_.to_station(id, frame); });
}

std::unique_ptr<Flow> Cell::make_flow(const StationConfig &station, StationId id) {
    const FlowPlace place{queue_, *this, flow_number(id), id};
    des::RandomStream random(config_.seed, "traffic-" + station.settings.name);
    const auto tcp = [&](std::unique_ptr<Application> application) {
        return std::make_unique<TcpFlow>(place, station.direction, station.wired_delay,
                                         std::move(application));
    };
    switch (station.profile) {
    case Profile::bulk:
        return tcp(make_bulk(station.load_bps, random));
    case Profile::web:
        return tcp(make_web(station.load_bps, random));
    case Profile::video:
        return tcp(make_video(station.load_bps, random));
    case Profile::voice:
        return std::make_unique<DatagramFlow>(place, DatagramFlow::voice(), random);
    case Profile::datagram: {
        DatagramFlow::Shape shape;
        shape.up = station.direction == Direction::up;
        shape.down = !shape.up;
        shape.packet_bytes = station.packet_bytes;
        shape.mean_interval = des::from_seconds(8.0 * station.packet_bytes / station.load_bps);
        shape.poisson = true;
        return std::make_unique<DatagramFlow>(place, shape, random);
    }
    case Profile::saturated:
        return std::make_unique<SaturatedFlow>(place, station.direction, station.packet_bytes);
    case Profile::request:
        return std::make_unique<RequestFlow>(place, station.request, random);
    case Profile::none:
        break;
    }
    return nullptr;
}

void Cell::start() {
    for (const auto &station : stations_)
        station->start();
    access_point_.start();
    for (const auto &flow : flows_)
        if (flow)
            flow->start();
}

bool Cell::plausible(std::span<const std::uint8_t> ethernet) {
    if (ethernet.size() >= kEthernetHeaderBytes && ethernet.size() <= kLargestEthernet)
        return true;
    ++bridge_.malformed;
    return false;
}

void Cell::from_station_port(StationId id, std::span<const std::uint8_t> ethernet) {
    if (!plausible(ethernet))
        return;
    if (const auto word = ports::radio_control(ethernet);
        word && stations_[index(id)]->settings().join) {
        if (*word == ports::RadioControl::on)
            stations_[index(id)]->turn_on();
        else if (*word == ports::RadioControl::off)
            stations_[index(id)]->turn_off();
        return;
    }
    const MacAddress source = address_at(ethernet, 6);
    if (!mac_known_[index(id)]) {
        // The first frame sets the station's address, unless another station has it or it is a
        // group address.
        if ((source[0] & 1) != 0 || addresses_.contains(source)) {
            ++bridge_.foreign_source;
            return;
        }
        macs_[index(id)] = source;
        mac_known_[index(id)] = true;
        addresses_[source] = id;
    } else if (source != macs_[index(id)]) {
        ++bridge_.foreign_source;
        return;
    }
    stations_[index(id)]->send(data_frame(ethernet, kAccessPoint, queue_.now()));
}

void Cell::from_wired_port(std::span<const std::uint8_t> ethernet) {
    if (!plausible(ethernet))
        return;
    ++bridge_.from_wired;
    StationId receiver = kGroup;
    if ((ethernet[0] & 1) == 0) {
        const auto found = addresses_.find(address_at(ethernet, 0));
        if (found == addresses_.end()) {
            ++bridge_.unknown_address;
            return;
        }
        receiver = found->second;
    }
    access_point_.send(data_frame(ethernet, receiver, queue_.now()));
}

// The access point received a frame: for itself, for a flow, or for the bridge.
void Cell::from_station(Station &station, Frame &frame) {
    if (frame.kind != FrameKind::data) {
        access_point_.on_mac_frame(station, frame);
        return;
    }
    if (!access_point_.authorized(station.id()))
        return;
    access_point_.set_power_save(station.id(), frame.power_management);
    if (frame.flow != kNoFlow)
        flows_[index(station.id())]->on_delivered(Direction::up, frame.payload_bytes,
                                                  frame.flow_sequence);
    else
        bridge_frame(station, frame);
}

void Cell::bridge_frame(Station &from, Frame &frame) {
    const std::span<const std::uint8_t> ethernet(frame.bytes);
    const bool group = (ethernet[0] & 1) != 0;
    const auto found = addresses_.find(address_at(ethernet, 0));
    if (group || found == addresses_.end()) {
        ++bridge_.to_wired;
        if (outside_.to_wired)
            outside_.to_wired(with_padding(ethernet));
    }
    // Group frames are repeated for the other stations; frames to another station are relayed.
    if (group)
        access_point_.send(data_frame(ethernet, kGroup, queue_.now()));
    else if (found != addresses_.end() && found->second != from.id())
        access_point_.send(data_frame(ethernet, found->second, queue_.now()));
}

void Cell::to_station(Station &station, Frame &frame) {
    if (station.settings().join && !station.associated())
        return; // it belongs to an association that has ended
    if (frame.flow != kNoFlow) {
        flows_[index(station.id())]->on_delivered(Direction::down, frame.payload_bytes,
                                                  frame.flow_sequence);
        return;
    }
    // A station ignores the access point's repetition of its own group frame.
    const bool own =
        frame.receiver == kGroup && address_at(frame.bytes, 6) == macs_[index(station.id())];
    if (!own && config_.stations[index(station.id())].port.any() && outside_.to_station)
        leave_by_port(station.id(), frame.bytes);
}

void Cell::leave_by_port(StationId id, std::span<const std::uint8_t> ethernet) {
    if (delays_[index(id)])
        delays_[index(id)]->pass(ethernet);
    else
        outside_.to_station(id, ethernet);
}

void Cell::station_frame_done(Station &station, Frame &frame, bool) {
    if (frame.flow != kNoFlow)
        flows_[index(station.id())]->on_left(Direction::up);
}

void Cell::station_joined(Station &station) {
    const StationConfig &config = config_.stations[index(station.id())];
    if (!config.settings.join || !config.settings.join->by_port || !outside_.to_station)
        return;
    outside_.to_station(station.id(), ports::radio_control_frame(ports::RadioControl::joined));
}

bool Cell::joining() const {
    return std::ranges::any_of(stations_, [](const auto &station) {
        return station->settings().join && station->joining();
    });
}

void Cell::access_point_frame_done(Frame &frame, bool) {
    if (frame.flow != kNoFlow)
        flows_[index(frame.receiver)]->on_left(Direction::down);
}

bool Cell::send(std::uint16_t flow, StationId station, Direction direction, std::uint32_t bytes,
                std::uint32_t mark) {
    Frame frame;
    frame.flow = flow;
    frame.flow_sequence = mark;
    frame.payload_bytes = bytes;
    frame.created = queue_.now();
    if (direction == Direction::up)
        return stations_[index(station)]->send(std::move(frame));
    frame.receiver = station;
    return access_point_.send(std::move(frame));
}

Time Cell::next_arrival() const {
    Time next = des::kNever;
    for (const auto &delay : delays_)
        if (delay)
            next = std::min(next, delay->next());
    return next;
}

Time Cell::next_moment() const {
    if (joining())
        return queue_.next_time();
    unsigned contending = access_point_.outside_contending();
    for (const auto &station : stations_)
        contending += station->queue().outside();
    if (contending > 0) {
        // Frames reach the outside when they end. Beacons precede queued frames and trigger others;
        // a station that wakes up fetches them.
        Time end = std::min(
            {radio_.medium.earliest_end(), access_point_.beacon().next_target(), next_arrival()});
        for (const auto &station : stations_)
            end = std::min(end, station->next_fetch());
        return end == des::kNever ? queue_.next_time() : std::max(queue_.next_time(), end);
    }
    if (access_point_.outside_kept() > 0)
        return std::min(access_point_.beacon().next_target(), next_arrival());
    return next_arrival();
}

Time Cell::next_exit() const {
    if (joining())
        return queue_.next_time();
    return std::min(radio_.medium.outside_end(), next_arrival());
}

} // namespace air
