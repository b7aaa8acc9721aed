#include "beacon.hpp"

namespace air {

namespace {

using namespace std::chrono_literals;

constexpr Time kTimeUnit = 1024us;
constexpr std::size_t kKeptFrames = 50;
constexpr Access kAccess{1, 0, 0}; // PIFS, no backoff

Link beacon_link() {
    // Group-addressed frames use the lowest basic rate; this rate is never used.
    return Link{.rate = RateControl(data_rates(Standard::b).first(1), false), .error = {}};
}

} // namespace

Beacon::Beacon(Radio &radio, Peer &peer, const BeaconSettings &settings)
    : radio_(radio), peer_(peer), settings_(settings), kept_(kKeptFrames), queue_(kKeptFrames + 1),
      link_(beacon_link()) {
    radio_.medium.add(*this, kAccess, kAccessPoint);
}

void Beacon::set_stations(std::vector<Station *> stations) {
    stations_ = std::move(stations);
    map_ = std::make_unique<bool[]>(stations_.size());
}

void Beacon::start() {
    if (!settings_.enabled)
        return;
    next_target_ = settings_.interval_tu * kTimeUnit;
    radio_.queue.schedule(next_target_ - settings_.map_lead, [this] { write_map(); });
}

void Beacon::write_map() {
    for (std::size_t i = 0; i < stations_.size(); ++i)
        map_[i] = peer_.keeps_frames_for(*stations_[i]);
    if (settings_.map_lead == Time(0))
        on_target();
    else
        radio_.queue.schedule(next_target_, [this] { on_target(); });
}

bool Beacon::keep(Frame &&frame) {
    return kept_.push(std::move(frame));
}

void Beacon::on_target() {
    next_target_ += settings_.interval_tu * kTimeUnit;
    radio_.queue.schedule(next_target_ - settings_.map_lead, [this] { write_map(); });
    ++targets_;
    // A beacon that could not be sent within a whole interval is not sent twice.
    if (!queue_.empty() && queue_[0].kind == FrameKind::beacon)
        return;
    dtim_ = (targets_ - 1) % settings_.dtim_period == 0;
    Frame frame;
    frame.kind = FrameKind::beacon;
    frame.receiver = kGroup;
    frame.created = radio_.now();
    queue_.push_urgent(std::move(frame), burst_.span());
    if (dtim_) {
        const std::size_t count = kept_.size();
        for (std::size_t i = 0; i < count; ++i) {
            kept_[0].more_data = i + 1 < count;
            queue_.push(Frame(kept_[0]));
            kept_.pop();
        }
    }
    group_traffic_ = queue_.size() > 1;
    radio_.medium.request(*this);
}

// The body is written when the beacon is sent, since it contains the current time stamp.
void Beacon::prepare() {
    BeaconFields fields;
    fields.timestamp = radio_.now();
    fields.interval_tu = settings_.interval_tu;
    fields.standard = settings_.standard;
    fields.channel = settings_.channel;
    fields.dtim_period = settings_.dtim_period;
    fields.dtim_count = static_cast<unsigned>(
        (settings_.dtim_period - (targets_ - 1) % settings_.dtim_period) % settings_.dtim_period);
    fields.group_traffic = dtim_ && group_traffic_;
    fields.long_slot = settings_.long_slot;
    fields.protection = radio_.parameters.protection;
    fields.traffic = {map_.get(), stations_.size()};
    queue_[0].bytes = beacon_body(fields, radio_.parameters);
    queue_[0].payload_bytes = static_cast<std::uint32_t>(queue_[0].bytes.size());
}

Transmission Beacon::compose() {
    if (queue_[0].kind == FrameKind::beacon)
        prepare();
    return burst_.compose(queue_, link_, radio_.context(), true);
}

Outcome Beacon::conclude(bool collided) {
    return burst_.conclude(
        radio_.context(), radio_.medium.access_start(), collided, true,
        [this](Frame &frame) { deliver(frame); }, [](Frame &, bool) {});
}

void Beacon::deliver(Frame &frame) {
    if (frame.kind != FrameKind::beacon) {
        peer_.group_frame_sent(frame);
        return;
    }
    ++sent_;
    const unsigned bytes = Burst::mpdu_bytes(frame, false);
    for (std::size_t i = 0; i < stations_.size(); ++i) {
        Station *station = stations_[i];
        const double loss =
            station->settings().error.control_loss(radio_.parameters.lowest_basic(), bytes);
        if (!radio_.errors.chance(loss))
            station->on_beacon(
                {.traffic = map_[i], .group_traffic = dtim_ && group_traffic_, .dtim = dtim_});
    }
}

} // namespace air
