// The RRC connection (TS 36.331 5.3.3, 5.3.8) of each device, and its radio bearer for user data.
#pragma once

#include "access.hpp"
#include "network.hpp"
#include "scheduler.hpp"
#include "transfer.hpp"

namespace nbiot {

// Sends and receives user data over the bearers.
class BearerUser {
public:
    virtual ~BearerUser() = default;
    virtual void received(Device &device, const Packet &packet) = 0;  // by the device
    virtual void forwarded(Device &device, const Packet &packet) = 0; // by the base station
    virtual void left(Device &device) = 0;                            // the connection is released
};

class Connection final : public Admission, public PacketSink {
public:
    Connection(Network &network, Scheduler &scheduler, Transfer &transfer)
        : network_(network), scheduler_(scheduler), transfer_(transfer) {}
    void set_user(BearerUser &user) { user_ = &user; }

    // User data from the device, and from the Internet to it.
    void send_up(Device &device, const Packet &packet);
    void send_down(Device &device, const Packet &packet);
    void release(Device &device);

    void admitted(Device &device) override;
    void arrived_at_device(Device &device, const Packet &packet) override;
    void arrived_at_base(Device &device, const Packet &packet) override;
    void released(Device &device) override { user_->left(device); }

private:
    void signal_down(Device &device, Signal signal, int bytes);
    static void signal_up(Device &device, Signal signal, int bytes);
    static void open_bearer(Device &device);

    Network &network_;
    Scheduler &scheduler_;
    Transfer &transfer_;
    BearerUser *user_ = nullptr;
};

} // namespace nbiot
