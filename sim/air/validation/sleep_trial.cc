#include "sleep_trial.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cell.hpp"
#include "config_reader.hpp"
#include "des/virtual_driver.hpp"

namespace air {

namespace {

// Properties of the two hosts, taken from the recording. An awake device acknowledges after 5.5 to
// 9 ms and responds up to 12 ms later; the client's pause is 12.5 ms longer than one second. Sizes
// are those of the recorded packets. All sleep parameters are the cell's defaults.
constexpr const char *kTrial =
    R"({"cell":{"standard":"n"},"stations":[{"name":"device","modem_sleep":{},
    "request":{"request_bytes":42,"acknowledgement_bytes":32,"response_bytes":60,
               "processing_min_ms":5.5,"processing_max_ms":9,"response_max_ms":12,"pause_ms":1012.5}}]})";

} // namespace

std::vector<RequestFlow::Sample> sleep_trial(bool modem_sleep, std::size_t requests,
                                             std::uint64_t seed) {
    nlohmann::json json = nlohmann::json::parse(kTrial);
    json["seed"] = seed;
    json["stations"][0]["modem_sleep"]["enabled"] = modem_sleep;
    des::EventQueue queue;
    Cell cell(queue, read_config(json.dump(), "(sleep trial)"), {});
    cell.start();
    const auto &flow = dynamic_cast<const RequestFlow &>(*cell.flow(1));
    while (flow.samples().size() < requests)
        queue.step();
    return flow.samples();
}

double ks_distance(std::vector<double> a, std::vector<double> b) {
    std::ranges::sort(a);
    std::ranges::sort(b);
    double distance = 0;
    const auto share = [](const std::vector<double> &v, double x) {
        return static_cast<double>(std::ranges::upper_bound(v, x) - v.begin()) /
               static_cast<double>(v.size());
    };
    for (const std::vector<double> *sample : {&a, &b})
        for (const double x : *sample)
            distance = std::max(distance, std::fabs(share(a, x) - share(b, x)));
    return distance;
}

} // namespace air
