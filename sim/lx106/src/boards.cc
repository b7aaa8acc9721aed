#include "boards.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <malloc.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "gdb_stub.hpp"
#include "netdev.hpp"
#include "world.hpp"

namespace lx106 {

namespace {

std::shared_ptr<const Firmware> read_firmware(const std::string &path) {
    return std::make_shared<const Firmware>(read_elf(path));
}

int open_log(const std::string &path) {
    if (path.empty())
        return STDOUT_FILENO;
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        throw std::system_error(errno, std::generic_category(),
                                "the log " + path + " cannot be opened; create its folder");
    return file;
}

// A board and what is around it.
class Place {
public:
    Place(const BoardOptions &options, std::shared_ptr<const Firmware> firmware)
        : world_(parse_netdev(options.network), open_log(options.log), options.paced) {
        if (options.start_ns > 0)
            world_.start_at(options.start_ns);
        if (options.joins)
            world_.expect_radio();
        if (!options.debugger.empty())
            stub_.emplace(open_gdb_channel(options.debugger), options.halt_ps);
        board_.emplace(std::move(firmware), options.words, options.instruction_ps, world_);
        if (!options.presets.words.empty())
            board_->preset(options.presets);
        board_->later_words(options.later_words);
        if (options.resets)
            world_.allow_resets();
        if (!options.coverage.empty())
            board_->core().cover(coverage_.emplace());
        if (stub_)
            stub_->attach(*board_);
    }
    World &world() { return world_; }
    void run() { world_.run(*board_); }
    // What the board has executed, if the options asked for it.
    [[nodiscard]] const std::optional<Coverage> &coverage() const { return coverage_; }

private:
    World world_;
    std::optional<GdbStub> stub_;
    std::optional<Coverage> coverage_;
    std::optional<Board> board_;
};

void run_in_turn(Place &place, Turn &turn) {
    try {
        const std::lock_guard in_turn(turn);
        place.run();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lx106: %s\n", error.what());
        std::_Exit(EXIT_FAILURE);
    }
}

} // namespace

void run_alone(const BoardOptions &options) {
    Place place(options, read_firmware(options.firmware));
    place.run();
    if (place.coverage())
        place.coverage()->write(options.coverage);
}

void run_together(const std::vector<BoardOptions> &options) {
    // Threads allocate little, so they need no memory of their own to allocate from.
    mallopt(M_ARENA_MAX, 1);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);                       // in the threads, too
    std::map<std::string, std::shared_ptr<const Firmware>> firmwares; // each file is read once
    Turn turn;
    std::vector<std::unique_ptr<Place>> places;
    for (const BoardOptions &each : options) {
        auto &firmware = firmwares[each.firmware];
        if (!firmware)
            firmware = read_firmware(each.firmware);
        places.push_back(std::make_unique<Place>(each, firmware));
        places.back()->world().share(turn, each.log);
    }
    turn.lock();
    for (const auto &place : places)
        std::thread([&turn, &board = *place] { run_in_turn(board, turn); }).detach();
    turn.unlock();
    int number = 0;
    sigwait(&ends, &number);
    turn.lock(); // and no board has its turn again
    for (const auto &place : places)
        place->world().end_sharing();
    std::_Exit(EXIT_SUCCESS);
}

} // namespace lx106
