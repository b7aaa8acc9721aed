#include "connection.hpp"

#include "spec.hpp"

namespace nbiot {

namespace {

Packet message(Signal signal, int bytes) {
    Packet packet;
    packet.kind = Packet::kSignal;
    packet.signal = static_cast<std::uint8_t>(signal);
    packet.bytes = static_cast<std::uint16_t>(bytes);
    return packet;
}

Queued user_data(const Packet &packet) {
    return {packet, packet.bytes + spec::kPdcpHeaderBytes};
}

Queued signalling(Signal signal, int bytes) {
    return {message(signal, bytes), bytes + spec::kPdcpHeaderBytes + spec::kPdcpMacIBytes};
}

} // namespace

void Connection::send_up(Device &device, const Packet &packet) {
    if (!device.bearer) {
        device.held.push_back(packet);
        return;
    }
    device.uplink.push_back(user_data(packet));
    transfer_.maybe_request(device);
}

void Connection::send_down(Device &device, const Packet &packet) {
    if (device.releasing) // a late duplicate does not hold up the release
        return;
    device.downlink.push_back(user_data(packet));
    scheduler_.want_service(device);
}

void Connection::release(Device &device) {
    if (device.releasing)
        return;
    device.releasing = true;
    signal_down(device, Signal::kRelease, network_.model.rrc.release_bytes);
}

// The base station answers Msg3, which carries the data volume (TS 36.321 6.1.3.10).
void Connection::admitted(Device &device) {
    for (const Packet &packet : device.held)
        device.reported += user_data(packet).left;
    device.access.active = false;
    if (network_.model.rrc.procedure == "resume")
        signal_down(device, Signal::kResume, network_.model.rrc.resume_bytes);
    else
        signal_down(device, Signal::kSetup, network_.model.rrc.setup_bytes);
}

void Connection::signal_down(Device &device, Signal signal, int bytes) {
    device.downlink.push_back(signalling(signal, bytes));
    scheduler_.want_service(device);
}

// The base station expects this message.
void Connection::signal_up(Device &device, Signal signal, int bytes) {
    device.uplink.push_back(signalling(signal, bytes));
    device.reported += device.uplink.back().left;
}

void Connection::open_bearer(Device &device) {
    device.bearer = true;
    for (const Packet &packet : device.held)
        device.uplink.push_back(user_data(packet));
    device.held.clear();
}

void Connection::arrived_at_device(Device &device, const Packet &packet) {
    if (packet.kind != Packet::kSignal) {
        user_->received(device, packet);
        return;
    }
    const Rrc &rrc = network_.model.rrc;
    switch (static_cast<Signal>(packet.signal)) {
    case Signal::kResume:
    case Signal::kSetup:
        ++device.access.epoch; // contention is resolved
        device.connected = true;
        device.connected_at = network_.now_ms();
        if (static_cast<Signal>(packet.signal) == Signal::kResume) {
            signal_up(device, Signal::kResumeComplete, rrc.resume_complete_bytes);
            open_bearer(device);
        } else {
            device.reported = 0; // user data waits for the bearer
            signal_up(device, Signal::kSetupComplete, rrc.setup_complete_bytes);
        }
        break;
    case Signal::kSecurityCommand:
        signal_up(device, Signal::kSecurityComplete, rrc.security_complete_bytes);
        break;
    case Signal::kReconfiguration:
        signal_up(device, Signal::kReconfigurationComplete, rrc.reconfiguration_complete_bytes);
        open_bearer(device);
        break;
    default:
        break; // a release takes effect when it is acknowledged
    }
}

void Connection::arrived_at_base(Device &device, const Packet &packet) {
    if (packet.kind != Packet::kSignal) {
        user_->forwarded(device, packet);
        return;
    }
    if (static_cast<Signal>(packet.signal) == Signal::kSetupComplete)
        signal_down(device, Signal::kSecurityCommand, network_.model.rrc.security_command_bytes);
    else if (static_cast<Signal>(packet.signal) == Signal::kSecurityComplete)
        signal_down(device, Signal::kReconfiguration, network_.model.rrc.reconfiguration_bytes);
}

} // namespace nbiot
