// libFuzzer target: any bytes as frames from both sides, with every kind of fault active.
#include <algorithm>

#include "wire.hpp"

namespace {

using namespace std::chrono_literals;

constexpr const char *kConfig =
    R"({"device":{"tap":"a"},"server":{"tap":"b"},"application":"mqtt","nat_idle_ms":60,
    "faults":[
    {"number":1,"kind":"duplicate","at_ms":0,"for_ms":900,"share":0.5},
    {"number":2,"kind":"reorder","at_ms":0,"for_ms":900,"share":0.3,"delay_ms":50},
    {"number":3,"kind":"delay","at_ms":0,"for_ms":900,"share":0.3,"delay_ms":5},
    {"number":4,"kind":"truncate","at_ms":0,"for_ms":900,"share":0.3,"bytes":9,"valid_checksum":true},
    {"number":5,"kind":"bit_flip","at_ms":0,"for_ms":900,"share":0.3,"valid_checksum":true},
    {"number":12,"kind":"split","at_ms":0,"for_ms":900,"share":0.3,"bytes":7},
    {"number":6,"kind":"rate_limit","at_ms":100,"for_ms":100},
    {"number":7,"kind":"nat_rebind","packet":{"name":"PUBLISH"}},
    {"number":8,"kind":"tcp_reset","packet":{"name":"DATA","number":3}},
    {"number":9,"kind":"refuse","at_ms":50,"for_ms":300},
    {"number":10,"kind":"truncate","at_ms":400,"for_ms":100,"bytes":1500},
    {"number":11,"kind":"half_open","at_ms":600,"for_ms":100,"from":"device"}]})";

} // namespace

// Each frame: side, length (two bytes), pause in ms, its bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const wire::Config config = wire::read_config(kConfig, "fuzz");
    des::EventQueue queue;
    wire::Wire engine(queue, config,
                      {.send = [](wire::Side, wire::Span frame) { wire::parse(frame); },
                       .note = [](unsigned, bool, std::uint64_t) {}});
    engine.start();
    wire::Span bytes{data, size};
    while (bytes.size() >= 4) {
        const std::size_t length =
            std::min<std::size_t>(bytes[1] * 8u + bytes[2] % 8u, bytes.size() - 4);
        queue.run_until(queue.now() + bytes[3] * 1ms);
        engine.from(bytes[0] % 2 == 0 ? wire::Side::device : wire::Side::server,
                    bytes.subspan(4, length));
        bytes = bytes.subspan(4 + length);
    }
    queue.run_until(queue.now() + 2s);
    engine.finish();
    return 0;
}
