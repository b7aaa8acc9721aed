#include "system.hpp"

#include <algorithm>

#include "spec.hpp"

namespace nbiot {

System::System(const Model &model, const LinkTables &tables, RunPlan plan)
    : plan_(std::move(plan)), layout_(model.scenario),
      arrival_random_(plan_.seed, "nbiot.arrivals"), place_random_(plan_.seed, "nbiot.places"),
      transport_random_(plan_.seed, "nbiot.transport"),
      network_(model, tables, static_cast<std::size_t>(layout_.cells()), plan_.seed),
      channel_(network_, plan_.seed), scheduler_(network_, channel_),
      access_(network_, channel_, scheduler_, plan_.seed),
      transfer_(network_, channel_, scheduler_, access_),
      connection_(network_, scheduler_, transfer_) {
    scheduler_.serve(access_, transfer_);
    access_.set_admission(connection_);
    transfer_.set_sink(connection_);
    connection_.set_user(*this);
}

Tally System::run() {
    arrive();
    channel_.start_measuring();
    network_.queue.run_until(des::from_seconds(plan_.simulated_s));
    network_.tally.events = network_.queue.executed();
    return std::move(network_.tally);
}

Report System::run_single(double arrival_s) {
    single_ = true;
    network_.queue.schedule(des::from_seconds(arrival_s), [this] { arrive(); });
    network_.queue.run_until(des::from_seconds(arrival_s + 2 * plan_.give_up_s));
    return network_.tally.reports.at(0);
}

// Poisson arrivals, uniform in the simulated area (study 2.3); the next one is drawn at each.
void System::arrive() {
    if (network_.queue.now() > des::Time{0} || single_)
        begin_report();
    if (!single_)
        network_.queue.schedule_in(
            des::from_seconds(arrival_random_.exponential(1 / (plan_.load * layout_.cells()))),
            [this] { arrive(); });
}

void System::begin_report() {
    Device &device = network_.add_device();
    ++network_.tally.arrivals;
    device.arrived_s = now_s();
    device.measured = single_ || (device.arrived_s >= plan_.warmup_s &&
                                  device.arrived_s < plan_.simulated_s - plan_.give_up_s);
    layout_.gains(layout_.place(place_random_), place_random_, device.gains);
    channel_.attach(device);
    device.session.reset(device.index, plan_.stack, network_.model.transport);
    device.session.start(*this);
    access_.begin(device, false);
    network_.queue.schedule_in(des::from_seconds(plan_.give_up_s),
                               [this, to = Network::ref(device)] {
                                   if (Device *d = network_.find(to))
                                       give_up(*d);
                               });
}

// The application drops the report; a transmission under way ends first.
void System::give_up(Device &device) {
    if (device.radio_free >= network_.now_ms())
        network_.later(device, device.radio_free + 1, [this](Device &d) { give_up(d); });
    else
        left(device);
}

void System::left(Device &device) {
    device.session.stop(*this);
    network_.tally.transport_retransmissions += device.session.retransmissions();
    if (device.measured) {
        double energy = device.transmit_mj;
        const double awake_ms = device.connected_at < 0
                                    ? 0
                                    : static_cast<double>(network_.now_ms() - device.connected_at);
        const double listening = 1 / network_.level(device.level).control_period_factor;
        const double idle_ms = std::max(0.0, awake_ms - device.transmit_ms - device.receive_ms);
        energy += (device.receive_ms + idle_ms * listening) * spec::kReceiveMw / 1000 +
                  idle_ms * (1 - listening) * spec::kLightSleepMw / 1000;
        network_.tally.reports.push_back(
            {static_cast<float>(device.delivered_s < 0 ? -1
                                                       : device.delivered_s - device.arrived_s),
             static_cast<float>(device.gain_db), static_cast<float>(energy),
             static_cast<std::uint8_t>(device.level)});
    }
    network_.remove_device(device);
}

// Both sides are done: after the study's short delay the network releases the connection.
void System::finished(Session &session) {
    network_.later(network_.device(session.id()),
                   network_.now_ms() + network_.model.rrc.release_delay_ms,
                   [this](Device &device) { connection_.release(device); });
}

void System::delivered(Session &session) {
    Device &device = network_.device(session.id());
    device.delivered_s = now_s();
    if (device.delivered_s >= plan_.warmup_s && device.delivered_s < plan_.simulated_s)
        network_.tally.delivered_bits += 8.0 * plan_.payload_bytes;
}

// Packets of the device go to its radio bearer; packets of the cloud cross the Internet first.
void System::send(Session &session, Side from, const Packet &packet) {
    Device &device = network_.device(session.id());
    if (from == Side::kDevice)
        connection_.send_up(device, packet);
    else
        cross_internet(device, Side::kDevice, packet);
}

void System::received(Device &device, const Packet &packet) {
    device.session.receive(*this, Side::kDevice, packet);
}

void System::forwarded(Device &device, const Packet &packet) {
    cross_internet(device, Side::kCloud, packet);
}

void System::cross_internet(Device &device, Side to, const Packet &packet) {
    const std::uint32_t slot = crossing_.put({packet, Network::ref(device), to});
    network_.queue.schedule_in(des::from_seconds(network_.model.transport.internet_delay_s),
                               [this, slot] { arrived(slot); });
}

void System::arrived(std::uint32_t slot) {
    const Crossing crossing = crossing_.take(slot);
    Device *device = network_.find(crossing.device);
    if (device == nullptr)
        return;
    if (crossing.to == Side::kCloud)
        device->session.receive(*this, Side::kCloud, crossing.packet);
    else
        connection_.send_down(*device, crossing.packet);
}

des::EventHandle System::start_timer(Session &session, Side side, double seconds) {
    return network_.queue.schedule_in(
        des::from_seconds(seconds), [this, side, to = Network::ref(network_.device(session.id()))] {
            if (Device *d = network_.find(to))
                d->session.timeout(*this, side);
        });
}

} // namespace nbiot
