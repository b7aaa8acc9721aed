// What runs above IP in the device and in the cloud during one report: UDP exchanges with their
// retransmission, or TCP. The host below carries packets and keeps the clock.
#pragma once

#include <array>
#include <cstdint>

#include "config.hpp"
#include "des/event_queue.hpp"
#include "des/random.hpp"
#include "stack.hpp"

namespace nbiot {

enum class Side : std::uint8_t { kDevice = 0, kCloud = 1 };

constexpr Side other(Side side) {
    return side == Side::kDevice ? Side::kCloud : Side::kDevice;
}

// An IP packet, or a signalling message of the radio network, on its way.
struct Packet {
    enum Kind : std::uint8_t { kDatagram, kSegment, kSignal };
    std::uint16_t bytes = 0; // IP datagram, or message
    Kind kind = kDatagram;
    bool syn = false;
    bool has_ack = false;
    std::uint8_t exchange = 0; // datagram: which exchange, and which datagram of it
    std::uint8_t part = 0;
    std::uint8_t signal = 0;
    std::uint16_t length = 0; // segment: bytes of data
    std::uint32_t sequence = 0;
    std::uint32_t ack = 0;
};

class Session;

// What a session needs from the simulation.
class SessionHost {
public:
    virtual ~SessionHost() = default;
    virtual void send(Session &session, Side from, const Packet &packet) = 0;
    virtual des::EventHandle start_timer(Session &session, Side side, double seconds) = 0;
    virtual void stop_timer(des::EventHandle handle) = 0;
    [[nodiscard]] virtual double now_s() const = 0;
    virtual des::RandomStream &transport_random() = 0;
    virtual void delivered(Session &session) = 0; // the whole report is in the cloud
    virtual void finished(Session &session) = 0;  // neither side has anything left to send
};

// One TCP endpoint (RFC 9293, RFC 5681, RFC 6298). Sequence number 0 is the SYN, data starts at 1.
struct TcpEndpoint {
    std::uint32_t una = 0;     // oldest unacknowledged
    std::uint32_t next = 0;    // next to send
    std::uint32_t written = 1; // end of what the application wrote
    std::uint32_t received = 0;
    double window = 0; // congestion window, segments
    double threshold = 0;
    double rto_s = 0, srtt_s = 0, variation_s = 0;
    double sent_at_s = 0; // of the segment being timed
    std::uint32_t timed = 0;
    bool timing = false;
    bool established = false;
    bool syn_sent = false;
    bool syn_timed_out = false;
    des::EventHandle timer;
};

class Session {
public:
    // Prepares a new session; `id` is the host's.
    void reset(std::uint32_t id, const Stack &stack, const Transport &transport);
    // The report is in the device's buffer now.
    void start(SessionHost &host);
    void receive(SessionHost &host, Side at, const Packet &packet);
    void timeout(SessionHost &host, Side side);
    void stop(SessionHost &host);

    [[nodiscard]] std::uint32_t id() const { return id_; }
    [[nodiscard]] std::uint32_t retransmissions() const { return retransmissions_; }

private:
    // UDP
    void send_exchange(SessionHost &host);
    void receive_datagram(SessionHost &host, Side at, const Packet &packet);
    void exchange_timeout(SessionHost &host);
    // TCP, in tcp.cc
    void tcp_start(SessionHost &host);
    void tcp_receive(SessionHost &host, Side at, const Packet &packet);
    void tcp_timeout(SessionHost &host, Side side);
    void tcp_acknowledged(SessionHost &host, Side at, std::uint32_t ack);
    bool tcp_pump(SessionHost &host, Side side);
    void tcp_emit(SessionHost &host, Side side, std::uint32_t sequence, std::uint32_t length,
                  bool syn);
    void tcp_write(SessionHost &host, Side side);
    void tcp_arm(SessionHost &host, Side side);
    void tcp_progress(SessionHost &host, Side at);

    void report_delivered(SessionHost &host);
    void finish(SessionHost &host);
    TcpEndpoint &end(Side side) { return ends_[static_cast<std::size_t>(side)]; }
    [[nodiscard]] std::uint32_t stream_total(Side from, std::size_t exchanges) const;

    const Stack *stack_ = nullptr;
    const Transport *transport_ = nullptr;
    std::uint32_t id_ = 0;
    std::uint32_t retransmissions_ = 0;
    std::size_t exchange_ = 0;           // UDP: the device's current one; TCP: see stage_
    std::uint32_t arrived_ = 0;          // UDP: parts of exchange_ that reached the cloud, as bits
    std::size_t cloud_exchange_ = 0;     // UDP: exchanges the cloud has seen completely
    std::array<std::size_t, 2> stage_{}; // TCP: exchanges each side has written
    double timeout_s_ = 0;
    int tries_ = 0;
    bool delivered_ = false, finished_ = false;
    des::EventHandle timer_;
    std::array<TcpEndpoint, 2> ends_{};
};

} // namespace nbiot
