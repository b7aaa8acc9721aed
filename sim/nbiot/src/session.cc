#include "session.hpp"

#include "spec.hpp"

namespace nbiot {

void Session::reset(std::uint32_t id, const Stack &stack, const Transport &transport) {
    *this = Session{};
    id_ = id;
    stack_ = &stack;
    transport_ = &transport;
}

void Session::start(SessionHost &host) {
    if (stack_->tcp)
        tcp_start(host);
    else
        send_exchange(host);
}

void Session::receive(SessionHost &host, Side at, const Packet &packet) {
    if (packet.kind == Packet::kSegment)
        tcp_receive(host, at, packet);
    else
        receive_datagram(host, at, packet);
}

void Session::timeout(SessionHost &host, Side side) {
    if (stack_->tcp)
        tcp_timeout(host, side);
    else
        exchange_timeout(host);
}

void Session::stop(SessionHost &host) {
    host.stop_timer(timer_);
    for (const TcpEndpoint &endpoint : ends_)
        host.stop_timer(endpoint.timer);
}

void Session::report_delivered(SessionHost &host) {
    if (delivered_)
        return;
    delivered_ = true;
    host.delivered(*this);
}

void Session::finish(SessionHost &host) {
    if (finished_)
        return;
    finished_ = true;
    stop(host);
    host.finished(*this);
}

// Sends the datagrams of the current exchange and, on its first sending, sets up its timer
// (RFC 7252 4.2 for CoAP, RFC 9147 5.8.1 with the initial value of RFC 7925 for DTLS).
void Session::send_exchange(SessionHost &host) {
    const Exchange &exchange = stack_->exchanges[exchange_];
    for (std::size_t part = 0; part < exchange.up.size(); ++part) {
        Packet packet;
        packet.bytes = static_cast<std::uint16_t>(transport_->ip_header_bytes +
                                                  spec::kUdpHeaderBytes + exchange.up[part]);
        packet.exchange = static_cast<std::uint8_t>(exchange_);
        packet.part = static_cast<std::uint8_t>(part);
        host.send(*this, Side::kDevice, packet);
    }
    if (tries_ == 0)
        switch (exchange.retry) {
        case Retry::kNone:
            return;
        case Retry::kCoap:
            timeout_s_ = transport_->coap_ack_timeout_s *
                         host.transport_random().uniform(1, transport_->coap_random_factor);
            break;
        case Retry::kDtls:
            timeout_s_ = transport_->dtls_timeout_s;
            break;
        case Retry::kMqttSn:
            timeout_s_ = transport_->mqttsn_retry_s;
            break;
        }
    timer_ = host.start_timer(*this, Side::kDevice, timeout_s_);
}

void Session::exchange_timeout(SessionHost &host) {
    const Retry retry = stack_->exchanges[exchange_].retry;
    ++tries_;
    const int most =
        retry == Retry::kMqttSn ? transport_->mqttsn_max_retries : transport_->coap_max_retransmit;
    if (tries_ > most) {
        finish(host);
        return;
    }
    if (retry != Retry::kMqttSn)
        timeout_s_ *= 2;
    ++retransmissions_;
    send_exchange(host);
}

void Session::receive_datagram(SessionHost &host, Side at, const Packet &packet) {
    const Exchange &exchange = stack_->exchanges[packet.exchange];
    if (at == Side::kCloud) {
        if (packet.exchange == cloud_exchange_) {
            arrived_ |= 1u << packet.part;
            if (arrived_ + 1 != 1u << exchange.up.size())
                return; // a further datagram of the flight is to come
            arrived_ = 0;
            ++cloud_exchange_;
        } else if (packet.exchange > cloud_exchange_ || packet.part + 1u != exchange.up.size()) {
            return;
        }
        if (exchange.down > 0) { // also to a repeated one (RFC 7252 4.2)
            Packet answer;
            answer.bytes = static_cast<std::uint16_t>(transport_->ip_header_bytes +
                                                      spec::kUdpHeaderBytes + exchange.down);
            answer.exchange = packet.exchange;
            host.send(*this, Side::kCloud, answer);
        }
        if (cloud_exchange_ == stack_->exchanges.size()) {
            report_delivered(host);
            if (exchange.down == 0)
                finish(host);
        }
    } else if (packet.exchange == exchange_ && !finished_) {
        host.stop_timer(timer_);
        tries_ = 0;
        if (++exchange_ == stack_->exchanges.size()) {
            --exchange_;
            finish(host);
        } else {
            send_exchange(host);
        }
    }
}

} // namespace nbiot
