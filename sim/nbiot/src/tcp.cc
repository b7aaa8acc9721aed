// TCP for a session: handshake, slow start and timeouts. The radio bearer below neither loses nor
// reorders what it delivers (RLC acknowledged mode), so there is no out-of-order queue and no fast
// retransmit; segments repeated by timeouts arrive as duplicates and are acknowledged again.
#include <algorithm>

#include "session.hpp"
#include "spec.hpp"

namespace nbiot {

namespace {
constexpr std::uint32_t kSynSequence = 0;
constexpr std::uint32_t kDataStart = 1;
} // namespace

// Bytes of the stream from `from` after the first `exchanges` exchanges.
std::uint32_t Session::stream_total(Side from, std::size_t exchanges) const {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < exchanges; ++i) {
        const Exchange &exchange = stack_->exchanges[i];
        if (from == Side::kCloud)
            total += static_cast<std::uint32_t>(exchange.down);
        else
            for (const int bytes : exchange.up)
                total += static_cast<std::uint32_t>(bytes);
    }
    return total;
}

void Session::tcp_start(SessionHost &host) {
    for (TcpEndpoint &e : ends_) {
        e.window = transport_->initial_window;
        e.threshold = transport_->window_cap;
        e.rto_s = transport_->initial_rto_s;
        if (stack_->established) {
            e.established = true;
            e.una = e.next = e.received = kDataStart;
        }
    }
    tcp_write(host, Side::kDevice);
    if (stack_->established) {
        tcp_pump(host, Side::kDevice);
        return;
    }
    TcpEndpoint &device = end(Side::kDevice);
    device.syn_sent = true;
    const std::uint32_t data = stack_->fast_open
                                   ? std::min(device.written - kDataStart,
                                              static_cast<std::uint32_t>(transport_->mss_bytes))
                                   : 0;
    tcp_emit(host, Side::kDevice, kSynSequence, data, true);
    device.next = kDataStart + data;
    device.timing = true;
    device.timed = kDataStart;
    device.sent_at_s = host.now_s();
    tcp_arm(host, Side::kDevice);
}

// Lets the application of `side` write what the dialogue allows: the device's part of an exchange
// once the cloud's answer to the previous one has arrived, and the cloud's answer once that part
// has arrived completely.
void Session::tcp_write(SessionHost &, Side side) {
    std::size_t &stage = stage_[static_cast<std::size_t>(side)];
    TcpEndpoint &e = end(side);
    const std::uint32_t have = e.received == 0 ? 0 : e.received - kDataStart;
    while (stage < stack_->exchanges.size()) {
        const std::uint32_t needed = side == Side::kDevice ? stream_total(Side::kCloud, stage)
                                                           : stream_total(Side::kDevice, stage + 1);
        if (have < needed)
            break;
        ++stage;
        e.written = kDataStart + stream_total(side, stage);
    }
}

void Session::tcp_emit(SessionHost &host, Side side, std::uint32_t sequence, std::uint32_t length,
                       bool syn) {
    TcpEndpoint &e = end(side);
    Packet packet;
    packet.kind = Packet::kSegment;
    packet.syn = syn;
    packet.sequence = sequence;
    packet.length = static_cast<std::uint16_t>(length);
    packet.has_ack = e.received > 0;
    packet.ack = e.received;
    int bytes = transport_->ip_header_bytes + spec::kTcpHeaderBytes + static_cast<int>(length);
    if (syn)
        bytes += spec::kTcpMssOptionBytes +
                 (stack_->fast_open && side == Side::kDevice ? spec::kTcpFastOpenBytes : 0);
    packet.bytes = static_cast<std::uint16_t>(bytes);
    host.send(*this, side, packet);
}

// Sends what the window allows; true when something was sent.
bool Session::tcp_pump(SessionHost &host, Side side) {
    TcpEndpoint &e = end(side);
    if (!e.established)
        return false;
    const auto mss = static_cast<std::uint32_t>(transport_->mss_bytes);
    const auto window = static_cast<std::uint32_t>(e.window) * mss;
    bool sent = false;
    while (e.next < e.written && e.next - e.una < window) {
        const std::uint32_t length = std::min(mss, e.written - e.next);
        tcp_emit(host, side, e.next, length, false);
        if (!e.timing) {
            e.timing = true;
            e.timed = e.next + length;
            e.sent_at_s = host.now_s();
        }
        e.next += length;
        sent = true;
    }
    if (sent)
        tcp_arm(host, side);
    return sent;
}

void Session::tcp_arm(SessionHost &host, Side side) {
    TcpEndpoint &e = end(side);
    host.stop_timer(e.timer);
    if (e.una < e.next)
        e.timer = host.start_timer(*this, side, e.rto_s);
}

// RFC 6298 5.4 to 5.7, RFC 5681 3.1.
void Session::tcp_timeout(SessionHost &host, Side side) {
    TcpEndpoint &e = end(side);
    ++retransmissions_;
    e.timing = false; // Karn's algorithm
    e.rto_s = std::min(2 * e.rto_s, transport_->maximum_rto_s);
    if (e.una == kSynSequence) {
        e.syn_timed_out = true;
        const bool with_data = stack_->fast_open && side == Side::kDevice;
        tcp_emit(host, side, kSynSequence, with_data ? e.next - kDataStart : 0, true);
    } else {
        const double flight = static_cast<double>(e.next - e.una) / transport_->mss_bytes;
        e.threshold = std::max(flight / 2, 2.0);
        e.window = 1;
        const std::uint32_t length =
            std::min(static_cast<std::uint32_t>(transport_->mss_bytes), e.written - e.una);
        tcp_emit(host, side, e.una, length, false);
        e.next = e.una + length;
    }
    tcp_arm(host, side);
}

void Session::tcp_acknowledged(SessionHost &host, Side at, std::uint32_t ack) {
    TcpEndpoint &e = end(at);
    if (ack <= e.una)
        return;
    if (e.una == kSynSequence) {
        e.established = true;
        if (e.syn_timed_out) // RFC 6298 5.7
            e.rto_s = std::max(transport_->initial_rto_s, 3.0);
    } else {
        const double growth = e.window < e.threshold ? 1.0 : 1.0 / e.window;
        e.window = std::min(e.window + growth, static_cast<double>(transport_->window_cap));
    }
    e.una = ack;
    e.next = std::max(e.next, ack);
    if (e.timing && ack >= e.timed) { // RFC 6298 2.2 and 2.3
        e.timing = false;
        const double sample = host.now_s() - e.sent_at_s;
        if (e.srtt_s == 0) {
            e.srtt_s = sample;
            e.variation_s = sample / 2;
        } else {
            const double error = sample > e.srtt_s ? sample - e.srtt_s : e.srtt_s - sample;
            e.variation_s += (error - e.variation_s) / 4;
            e.srtt_s += (sample - e.srtt_s) / 8;
        }
        e.rto_s = std::clamp(e.srtt_s + 4 * e.variation_s, transport_->minimum_rto_s,
                             transport_->maximum_rto_s);
    }
    tcp_arm(host, at);
}

void Session::tcp_receive(SessionHost &host, Side at, const Packet &packet) {
    TcpEndpoint &e = end(at);
    bool must_ack = packet.syn || packet.length > 0;
    const std::uint32_t first = packet.syn ? kDataStart : packet.sequence;
    if (packet.syn && e.received == 0)
        e.received = kDataStart;
    if (packet.length > 0 && first <= e.received)
        e.received = std::max(e.received, first + packet.length);
    if (packet.has_ack)
        tcp_acknowledged(host, at, packet.ack);
    if (packet.syn && at == Side::kCloud && !e.established) { // answer with SYN and ACK
        const bool repeat = e.syn_sent;
        e.syn_sent = true;
        tcp_emit(host, at, kSynSequence, 0, true);
        if (!repeat) {
            e.next = kDataStart;
            e.timing = true;
            e.timed = kDataStart;
            e.sent_at_s = host.now_s();
            tcp_arm(host, at);
        }
        must_ack = false;
    } else if (packet.syn && at == Side::kDevice) { // the handshake's third segment carries no data
        tcp_emit(host, at, e.next, 0, false);
        must_ack = false;
    }
    tcp_write(host, at);
    if (tcp_pump(host, at))
        must_ack = false;
    if (must_ack)
        tcp_emit(host, at, e.next, 0, false);
    tcp_progress(host, at);
}

// The report is delivered when the cloud has the whole stream. The session is over when all data of
// both ends are acknowledged (the study does not model the connection's termination).
void Session::tcp_progress(SessionHost &host, Side at) {
    const std::size_t all = stack_->exchanges.size();
    const TcpEndpoint &cloud = end(Side::kCloud), &device = end(Side::kDevice);
    if (at == Side::kCloud && cloud.received == kDataStart + stream_total(Side::kDevice, all))
        report_delivered(host);
    if (at == Side::kDevice && delivered_ &&
        device.una == kDataStart + stream_total(Side::kDevice, all) &&
        device.received == kDataStart + stream_total(Side::kCloud, all))
        finish(host);
}

} // namespace nbiot
