#include "ports/port.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace ports {

namespace {

constexpr std::size_t kLargestRead =
    65536; // longer than any valid frame, so that oversized ones are detected

[[noreturn]] void fail(const std::string &what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class TapPort final : public Port {
public:
    explicit TapPort(const std::string &name) : Port(open_tap(name)) {}
    void send(std::span<const std::uint8_t> frame) override {
        if (write(descriptor(), frame.data(), frame.size()) < 0)
            ++lost_;
    }

private:
    static int open_tap(const std::string &name) {
        const int descriptor = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0)
            fail("/dev/net/tun: cannot be opened; load the module tun, and run as root or in a "
                 "user namespace");
        ifreq request{};
        request.ifr_flags = IFF_TAP | IFF_NO_PI;
        std::memcpy(request.ifr_name, name.c_str(), name.size());
        if (ioctl(descriptor, TUNSETIFF, &request) != 0) {
            const int error = errno;
            close(descriptor);
            errno = error;
            fail(
                "tap " + name +
                ": cannot be attached; choose a free name, and run as root or in a user namespace");
        }
        return descriptor;
    }
};

sockaddr_un unix_address(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

class UnixPort final : public Port {
public:
    UnixPort(const std::string &own, const std::string &peer)
        : Port(open_socket(own)), own_(own), peer_(unix_address(peer)) {}
    ~UnixPort() override { unlink(own_.c_str()); }
    void send(std::span<const std::uint8_t> frame) override {
        if (sendto(descriptor(), frame.data(), frame.size(), 0,
                   reinterpret_cast<const sockaddr *>(&peer_), sizeof peer_) < 0)
            ++lost_;
    }

private:
    static int open_socket(const std::string &own) {
        const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (descriptor < 0)
            fail("unix socket");
        unlink(own.c_str()); // left over from a run that was killed
        const sockaddr_un address = unix_address(own);
        if (bind(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
            const int error = errno;
            close(descriptor);
            errno = error;
            fail("unix socket " + own +
                 ": cannot be bound; create its folder, or choose another path");
        }
        return descriptor;
    }
    std::string own_;
    sockaddr_un peer_;
};

} // namespace

std::unique_ptr<Port> Port::open(const Settings &settings) {
    if (!settings.tap.empty())
        return std::make_unique<TapPort>(settings.tap);
    return std::make_unique<UnixPort>(settings.unix_bind, settings.unix_peer);
}

Port::~Port() {
    close(descriptor_);
}

std::optional<std::span<const std::uint8_t>> Port::next() const {
    thread_local std::array<std::uint8_t, kLargestRead> buffer;
    const ssize_t size = read(descriptor_, buffer.data(), buffer.size());
    if (size < 0)
        return std::nullopt;
    return std::span(buffer).first(static_cast<std::size_t>(size));
}

void Port::drain(const std::function<void(std::span<const std::uint8_t>)> &take) const {
    while (const auto frame = next())
        take(*frame);
}

} // namespace ports
