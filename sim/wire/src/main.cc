// wire CONFIG.json          the path on the wall clock, until SIGTERM or SIGINT
// wire --check CONFIG.json  checks the configuration; prints nothing if it is valid
//
// The schedule starts with the first datagram at the control port. There, each fault of the kind
// `outside` is announced by "begin NUMBER" and "over NUMBER". Standard output has a line for the
// begin and the end of each fault, with the wall clock's time in ns.
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/error.hpp"
#include "des/wall_clock_driver.hpp"
#include "ports/port.hpp"
#include "wire.hpp"

namespace {

constexpr int kBadInput = 2;
constexpr int kFailed = 1;

int usage() {
    std::fputs("usage: wire [--check] CONFIG.json\n", stderr);
    return kBadInput;
}

long long wall_clock_ns() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void run(const wire::Config &config) {
    const auto device = ports::Port::open(config.device);
    const auto server = ports::Port::open(config.server);
    const auto control = config.control.any() ? ports::Port::open(config.control) : nullptr;
    des::EventQueue queue;
    const auto note = [&](unsigned number, bool over, std::uint64_t frames) {
        std::printf("{\"t_ns\":%lld,\"number\":%u,\"over\":%s,\"frames\":%llu}\n", wall_clock_ns(),
                    number, over ? "true" : "false", static_cast<unsigned long long>(frames));
        std::fflush(stdout);
        if (control == nullptr)
            return;
        for (const wire::Fault &fault : config.faults)
            if (fault.number == number && fault.kind == wire::Kind::outside) {
                const std::string text = (over ? "over " : "begin ") + std::to_string(number);
                control->send({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
                if (control->lost() != 0)
                    throw std::runtime_error("nobody takes announcements at the control port");
            }
    };
    wire::Wire engine(queue, config,
                      {.send =
                           [&](wire::Side to, wire::Span frame) {
                               (to == wire::Side::device ? device : server)->send(frame);
                           },
                       .note = note});
    des::WallClockDriver driver(queue, {.longest_sleep = std::chrono::hours(1)});
    driver.stop_on_signals();
    // The start comes first: frames that were sent after it belong to the schedule.
    if (control != nullptr)
        driver.add_port(control->descriptor(),
                        [&] { control->drain([&](wire::Span) { engine.start(); }); });
    driver.add_port(device->descriptor(), [&] {
        device->drain([&](wire::Span frame) { engine.from(wire::Side::device, frame); });
    });
    driver.add_port(server->descriptor(), [&] {
        server->drain([&](wire::Span frame) { engine.from(wire::Side::server, frame); });
    });
    // The parent process waits for this line: the ports are now open.
    std::puts("wire: ready");
    std::fflush(stdout);
    driver.run();
    engine.finish();
}

} // namespace

int main(int argc, char **argv) {
    const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
    if (argc != (check ? 3 : 2) || std::string_view(argv[argc - 1]).starts_with("-"))
        return usage();
    try {
        const wire::Config config = wire::read_config_file(argv[argc - 1]);
        if (!check)
            run(config);
    } catch (const config::Error &error) {
        std::fprintf(stderr, "thinwire: error: %s\n", error.what());
        return kBadInput;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "thinwire: error: wire: %s\n", error.what());
        return kFailed;
    }
    return 0;
}
