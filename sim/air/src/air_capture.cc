#include "air_capture.hpp"

#include <algorithm>

namespace air {

namespace {

using Bytes = std::vector<std::uint8_t>;

// Bits of the radiotap header's "present" word (radiotap.org).
enum Present : std::uint32_t {
    kTsft = 1u << 0,
    kFlags = 1u << 1,
    kRate = 1u << 2,
    kChannel = 1u << 3,
    kMcs = 1u << 19,
    kAmpduStatus = 1u << 20,
};
constexpr std::uint8_t kFlagShortPreamble = 0x02;
constexpr std::uint8_t kFlagBadFcs = 0x40;
constexpr std::uint16_t kChannelCck = 0x0020;
constexpr std::uint16_t kChannelOfdm = 0x0040;
constexpr std::uint16_t kChannel2Ghz = 0x0080;
// All following fields are known: 20 MHz, index, long guard interval, mixed format, BCC, no STBC,
// no extension streams.
constexpr std::uint8_t kMcsKnown = 0x7f;
constexpr std::uint16_t kAmpduLastKnown = 0x0004;
constexpr std::uint16_t kAmpduIsLast = 0x0008;

// The longest access: 1500 bytes at 1 Mb/s, protected and acknowledged.
constexpr Time kLongestAccess = std::chrono::milliseconds(20);
constexpr std::size_t kFlushAt = 256;

void put_le(Bytes &out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void align(Bytes &out, std::size_t to) {
    out.resize((out.size() + to - 1) / to * to);
}

Bytes radiotap(const AirRecord &record, unsigned channel, bool short_preamble) {
    const Rate &r = rate(record.rate);
    const bool ht = r.modulation == Modulation::ht;
    std::uint32_t present = kTsft | kFlags | kChannel | (ht ? kMcs : kRate);
    if (record.ampdu != 0)
        present |= kAmpduStatus;
    Bytes out;
    put_le(out, 0, 4); // version, padding, length
    put_le(out, present, 4);
    put_le(out, static_cast<std::uint64_t>(record.start / std::chrono::microseconds(1)), 8);
    const bool is_short =
        short_preamble && r.modulation == Modulation::dsss && record.rate != kDsss1;
    out.push_back(static_cast<std::uint8_t>((record.damaged ? kFlagBadFcs : 0) |
                                            (is_short ? kFlagShortPreamble : 0)));
    if (!ht)
        out.push_back(static_cast<std::uint8_t>(r.kbps_100 / 5)); // units of 500 kb/s
    align(out, 2);
    put_le(out, 2407 + 5 * channel, 2);
    put_le(out, kChannel2Ghz | (r.modulation == Modulation::dsss ? kChannelCck : kChannelOfdm), 2);
    if (ht) {
        out.push_back(kMcsKnown);
        out.push_back(0);
        out.push_back(r.mcs);
    }
    if (record.ampdu != 0) {
        align(out, 4);
        put_le(out, record.ampdu, 4);
        put_le(out, kAmpduLastKnown | (record.last_of_ampdu ? kAmpduIsLast : 0), 2);
        put_le(out, 0, 2);
    }
    out[2] = static_cast<std::uint8_t>(out.size());
    return out;
}

} // namespace

AirCapture::AirCapture(const CellConfig &config, const AddressBook &addresses)
    : config_(config), addresses_(addresses),
      writer_(config.capture.path, PcapngWriter::kRadiotap) {}

bool AirCapture::wanted(const Frame &frame) const {
    if (frame.kind == FrameKind::beacon)
        return config_.capture.beacons;
    return !config_.capture.outside_only || frame.flow == kNoFlow;
}

bool AirCapture::qos_between(const Frame &frame) const {
    const StationId id = frame.transmitter != kAccessPoint ? frame.transmitter : frame.receiver;
    if (id <= 0 || config_.access_point.beacon.standard != Standard::n)
        return false;
    return config_.stations[static_cast<std::size_t>(id - 1)].settings.standard == Standard::n;
}

void AirCapture::record(const AirRecord &record) {
    if (!wanted(*record.frame))
        return;
    if (pending_.size() >= kFlushAt)
        write_before(record.start - kLongestAccess);
    Pending entry{
        record.start,
        radiotap(record, config_.access_point.beacon.channel, config_.parameters.short_preamble),
        0};
    const auto header = static_cast<std::uint32_t>(entry.bytes.size());
    Dot11Frame frame = write_dot11(record, addresses_, qos_between(*record.frame));
    entry.bytes.insert(entry.bytes.end(), frame.bytes.begin(), frame.bytes.end());
    entry.original_bytes = std::max<std::uint32_t>(header + frame.original_bytes,
                                                   static_cast<std::uint32_t>(entry.bytes.size()));
    pending_.push_back(std::move(entry));
}

// The frames of colliding senders arrive sender by sender; the file has them in order of time.
void AirCapture::write_before(Time horizon) {
    std::ranges::stable_sort(pending_, {}, &Pending::at);
    const auto end = std::ranges::lower_bound(pending_, horizon, {}, &Pending::at);
    for (auto entry = pending_.begin(); entry != end; ++entry)
        writer_.write(entry->at, entry->bytes, entry->original_bytes);
    pending_.erase(pending_.begin(), end);
}

void AirCapture::flush() {
    write_before(des::kNever);
}

} // namespace air
