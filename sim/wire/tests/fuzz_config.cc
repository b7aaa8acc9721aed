// libFuzzer target: any bytes as a configuration.
#include "config/error.hpp"
#include "mutate_document.hpp"
#include "wire.hpp"
#include "wire_schema.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    static const config::Schema schema(wire::kSchemaText);
    return config_test::mutate_document(schema, data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    try {
        const wire::Config config =
            wire::read_config({reinterpret_cast<const char *>(data), size}, "fuzz");
        des::EventQueue queue;
        wire::Wire engine(
            queue, config,
            {.send = [](wire::Side, wire::Span) {}, .note = [](unsigned, bool, std::uint64_t) {}});
        engine.start();
        queue.run_until(std::chrono::hours(200));
        engine.finish();
    } catch (const config::Error &) {
    }
    return 0;
}
