// File descriptors through which Ethernet frames enter and leave: a TAP interface, or a unix
// datagram socket.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ports {

// The other end of a port; at most one of the two.
struct Settings {
    std::string tap;       // interface name
    std::string unix_bind; // datagram socket: our path
    std::string unix_peer; // and the peer's
    [[nodiscard]] bool any() const { return !tap.empty() || !unix_bind.empty(); }
};

class Port {
public:
    // Opens the port that the settings name. Throws std::system_error, with a remedy, when that
    // fails.
    static std::unique_ptr<Port> open(const Settings &settings);
    virtual ~Port();
    Port(const Port &) = delete;
    Port &operator=(const Port &) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    // The next received frame, in a buffer shared by all ports of the thread that is valid until
    // the next call; nothing if there is none.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next() const;
    // Reads until nothing is left, one frame a call of `take`.
    void drain(const std::function<void(std::span<const std::uint8_t>)> &take) const;
    // Sends one frame. It is lost if the peer does not exist or does not keep up: the radio does
    // not wait.
    virtual void send(std::span<const std::uint8_t> frame) = 0;
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

protected:
    explicit Port(int descriptor) : descriptor_(descriptor) {}
    std::uint64_t lost_ = 0; // frames that could not be sent

private:
    int descriptor_;
};

} // namespace ports
