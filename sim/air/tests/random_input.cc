#include "random_input.hpp"

#include <algorithm>
#include <string>

#include "bench_cell.hpp"
#include "counters.hpp"

namespace air_test {

namespace {
using namespace std::chrono_literals;

const std::string kCell =
    R"({"cell":{"standard":"n","dtim_period":2,"queue_frames":8},"stations":[)" +
    station(1, R"(,"standard":"n","snr_db":20,"modem_sleep":{"idle_ms":5},"hidden_group":1)") +
    "," +
    station(2, R"(,"standard":"g","modem_sleep":{"idle_ms":5,"fetch":"ps_poll"},)"
               R"("frame_error_rate":0.2,"hidden_group":2)") +
    R"(,{"name":"s3","port":{"tap":"t3"},"standard":"b","arrival_delay_ms":[0,1,9],)"
    R"("absences":[{"from_ms":20,"to_ms":60}]}],)"
    R"("background":[{"profile":"bulk","direction":"both","stations":2}]})";

// The most events that an accepted configuration may cost: an endless run is a bug.
constexpr int kEventBudget = 5000;
} // namespace

void try_config(std::span<const std::uint8_t> bytes) {
    const std::string json(bytes.begin(), bytes.end());
    try {
        const air::CellConfig config = air::read_config(json, "fuzz");
        if (config.stations.size() > 50)
            return;
        des::EventQueue queue;
        air::Cell cell(queue, config, {});
        cell.start();
        for (int i = 0; i < kEventBudget && queue.next_time() < 1s; ++i)
            queue.step();
        air::counters_json(cell, queue.now()).dump();
    } catch (const config::Error &) {
    }
}

void try_frames(std::span<const std::uint8_t> bytes) {
    static const air::CellConfig config = air::read_config(kCell, "fuzz");
    BenchCell bench(config);
    while (bytes.size() >= 4) {
        const unsigned port = bytes[0] % 4;
        const std::size_t length =
            std::min<std::size_t>(bytes[1] * 8u + bytes[2] % 8u, bytes.size() - 4);
        bench.run_until(bench.queue.now() + bytes[3] * 100us);
        const auto frame = bytes.subspan(4, length);
        if (port == 0)
            bench.cell.from_wired_port(frame);
        else
            bench.cell.from_station_port(static_cast<air::StationId>(port), frame);
        bytes = bytes.subspan(4 + length);
    }
    bench.run_until(bench.queue.now() + 300ms);
}

} // namespace air_test
