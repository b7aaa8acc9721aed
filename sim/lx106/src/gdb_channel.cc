#include "gdb_channel.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#include "gdb_mailbox.hpp"
#include "gdb_packets.hpp"

namespace lx106 {

namespace {

constexpr std::uint8_t kInterrupt = 0x03;

class File {
public:
    explicit File(int number) : number_(number) {}
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File() { replace(-1); }
    void replace(int number) {
        if (number_ >= 0)
            close(number_);
        number_ = number;
    }
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

// A debugger at a socket: the first one that connects.
class SocketChannel final : public GdbChannel {
public:
    SocketChannel(int listening, int connected) : listening_(listening), connected_(connected) {}

    bool open() override {
        if (connected_.number() < 0)
            connected_.replace(accept(listening_.number(), nullptr, nullptr));
        listening_.replace(-1);
        return connected_.number() >= 0; // not after a signal to end
    }
    std::optional<std::uint8_t> read() override {
        std::uint8_t byte = 0;
        return recv(connected_.number(), &byte, 1, 0) == 1 ? std::optional(byte) : std::nullopt;
    }
    void write(std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t count =
                send(connected_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count < 0 && errno != EINTR)
                return; // it has gone, which the next read() notices
            bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
        }
    }
    void flush() override {}
    bool interrupted() override {
        pollfd entry{.fd = connected_.number(), .events = POLLIN, .revents = 0};
        return poll(&entry, 1, 0) > 0 && read() == kInterrupt;
    }

private:
    File listening_, connected_;
};

[[noreturn]] void fail(std::string_view text) {
    throw std::system_error(errno, std::generic_category(),
                            "--gdb " + std::string(text) + ": cannot listen; use a free one");
}

std::unique_ptr<GdbChannel> listen_at(std::string_view text, const sockaddr *address,
                                      socklen_t size) {
    const int number = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (number < 0)
        fail(text);
    auto channel = std::make_unique<SocketChannel>(number, -1);
    const int on = 1;
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(number, address, size) < 0 || listen(number, 1) < 0)
        fail(text);
    return channel;
}

std::optional<int> number_of(std::string_view text, int most) {
    int value = -1;
    const auto result = std::from_chars(text.begin(), text.end(), value);
    if (result.ec != std::errc() || result.ptr != text.end() || value < 0 || value > most)
        return std::nullopt;
    return value;
}

} // namespace

std::unique_ptr<GdbChannel> open_gdb_channel(std::string_view text) {
    std::string_view rest = text;
    if (text == "memory")
        return std::make_unique<MailboxChannel>();
    if (take_text(rest, "tcp:")) {
        if (const auto port = number_of(rest, 0xffff)) {
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_port = htons(static_cast<std::uint16_t>(*port));
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            return listen_at(text, reinterpret_cast<sockaddr *>(&address), sizeof address);
        }
    } else if (take_text(rest, "unix:")) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (!rest.empty() && rest.size() < sizeof address.sun_path) {
            rest.copy(address.sun_path, rest.size());
            return listen_at(text, reinterpret_cast<sockaddr *>(&address), sizeof address);
        }
    } else if (take_text(rest, "fd:")) {
        if (const auto number = number_of(rest, 0xffff))
            return std::make_unique<SocketChannel>(-1, *number);
    }
    throw std::runtime_error("--gdb: '" + std::string(text) +
                             "' is no connection; write tcp:PORT, unix:PATH, fd:NUMBER or memory");
}

} // namespace lx106
