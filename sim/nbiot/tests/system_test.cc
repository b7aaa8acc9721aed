// The whole system: a lone device against a sum done by hand, contention against slotted ALOHA,
// repeatability, invariants.
#include "system.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "check.hpp"

namespace nbiot {
namespace {

Model ideal_cell(double coupling_loss_db) {
    Model model;
    model.scenario.sites = 1;
    model.scenario.sectors = 1;
    model.scenario.fading = false;
    model.scenario.interference = false;
    model.scenario.synchronised = true;
    model.scenario.fixed_coupling_loss_db = coupling_loss_db;
    return model;
}

RunPlan plan(const std::string &stack, int payload, double load, double simulated_s,
             std::uint64_t seed = 1) {
    return {make_stack(stack, payload), payload, load, seed, simulated_s, 20, 60};
}

// A report of 25 bytes over CoAP NON at 120 dB, arriving at 100 ms, by hand from the standard's
// timing (frames begin at 0; subframes 0, 5 of each frame and 9 of even ones are broadcast):
//   648   next NPRACH occasion (8 ms after a multiple of 640 ms)
//   660   end of 2 preamble repetitions of 5.6 ms
//   674   next NPDCCH search space (period 16, offset 2) after the window opens at 664
//   679   NPDSCH with the response: 5 subframes after its NPDCCH, 1 subframe
//   692   Msg3: 12 subframes after the response's end at 680; 88 bits in one resource unit, 8 ms
//   706   next search space after Msg3 at 700 and 4 ms of processing
//   711   Msg4: 24 bytes in 1 subframe; acknowledged 13 subframes on, 724 to 728
//   738   next search space after 728 and 4 ms of processing
//   747   NPUSCH, 8 subframes after the grant's end: 87 bytes in 4 resource units of 12 tones, 4
//   ms,
//         2 of which wait for the preambles of level 1 to end at 749
//   753   decoded; 4 ms of Internet
TEST(LoneDevice, TakesTheTimeOfTheHandComputedSum) {
    const Model model = ideal_cell(120);
    const LinkTables tables(model.cell);
    System system(model, tables, plan("coap-non", 25, 1, 1000));
    const Report report = system.run_single(0.100);
    EXPECT_NEAR(report.delay_s, 0.657, 1e-6);
    EXPECT_NEAR(report.gain_db, -120, 1e-3);
    EXPECT_EQ(report.level, 0);
}

TEST(LoneDevice, TakesLongerInDeepCoverageAndIsStillServed) {
    float before = 0;
    for (const double loss : {120.0, 145.0, 155.0}) {
        const Model model = ideal_cell(loss);
        const LinkTables tables(model.cell);
        System system(model, tables, plan("coap-non", 25, 1, 1000));
        const Report report = system.run_single(0.100);
        EXPECT_GT(report.delay_s, before) << loss;
        EXPECT_LT(report.delay_s, 20) << loss;
        before = report.delay_s;
    }
}

TEST(LoneDevice, IsServedAt160Decibels) {
    // Near the 164 dB that TR 45.820 asks for; a base station that is only somewhat better than its
    // conformance test, as this one, stops 2 to 4 dB short of it.
    const Model model = ideal_cell(160);
    const LinkTables tables(model.cell);
    System system(model, tables, plan("coap-non", 25, 1, 1000));
    const Report report = system.run_single(0.100);
    EXPECT_EQ(report.level, 2);
    EXPECT_GT(report.delay_s, 0);
}

TEST(LoneDevice, WaitsForTheHandshakeOverTcp) {
    const Model model = ideal_cell(120);
    const LinkTables tables(model.cell);
    const float udp = System(model, tables, plan("coap-non", 25, 1, 1000)).run_single(0.1).delay_s;
    const float tcp = System(model, tables, plan("mqtt", 25, 1, 1000)).run_single(0.1).delay_s;
    EXPECT_GT(tcp, udp + 0.1F); // at least one more grant and assignment each
}

// Preambles of an occasion: Poisson with the measured mean, each of K chosen alike. One is hit by
// another with probability 1 - e^(-mean/K) (slotted ALOHA).
TEST(Contention, MatchesSlottedAloha) {
    for (const double load : {1.0, 3.0, 5.0}) {
        Model model = ideal_cell(110);
        model.cell.backoff_ms = 8192; // spreads repeats over many occasions
        const LinkTables tables(model.cell);
        System system(model, tables, plan("coap-non", 25, load, 6000));
        const Tally tally = system.run();
        const double mean = static_cast<double>(tally.preambles) / 6000 * 0.640;
        const double expected = 1 - std::exp(-mean / 12);
        const double measured =
            static_cast<double>(tally.preamble_collisions) / static_cast<double>(tally.preambles);
        EXPECT_NEAR(measured / expected, 1, 0.08) << load;
    }
}

TEST(System, RepeatsItself) {
    const Model model;
    const LinkTables tables(model.cell);
    const Tally a = System(model, tables, plan("mqtt", 400, 1, 120)).run();
    const Tally b = System(model, tables, plan("mqtt", 400, 1, 120)).run();
    const Tally c = System(model, tables, plan("mqtt", 400, 1, 120, 2)).run();
    ASSERT_EQ(a.reports.size(), b.reports.size());
    for (std::size_t i = 0; i < a.reports.size(); ++i) {
        EXPECT_EQ(a.reports[i].delay_s, b.reports[i].delay_s);
        EXPECT_EQ(a.reports[i].energy_mj, b.reports[i].energy_mj);
    }
    EXPECT_EQ(a.events, b.events);
    EXPECT_NE(a.events, c.events);
}

TEST(System, DrawsTheSameArrivalsWhateverTheStack) {
    const Model model;
    const LinkTables tables(model.cell);
    const Tally a = System(model, tables, plan("coap-non", 25, 1, 120)).run();
    const Tally b = System(model, tables, plan("mqtt", 400, 1, 120)).run();
    EXPECT_EQ(a.arrivals, b.arrivals);
}

// In debug builds every allocation, block and turn of a device's radio is checked; an overloaded
// system with every stack must pass.
TEST(System, BreaksNoInvariantUnderOverload) {
    const Model model;
    const LinkTables tables(model.cell);
    for (const std::string &stack : stack_names()) {
        const Tally tally = System(model, tables, plan(stack, 400, 6, 90)).run();
        EXPECT_GT(tally.arrivals, 0u) << stack;
        EXPECT_LE(tally.control_ms + tally.downlink_ms, 90e3 * 21) << stack;
        EXPECT_LE(tally.uplink_tone_ms, 12 * 92e3 * 21) << stack;
    }
}

TEST(System, CountsEveryMeasuredReportOnce) {
    const Model model;
    const LinkTables tables(model.cell);
    RunPlan p = plan("coap-con", 25, 2, 200);
    const Tally tally = System(model, tables, p).run();
    const double expected = 2 * 21 * (200 - 20 - 60);
    EXPECT_NEAR(static_cast<double>(tally.reports.size()) / expected, 1, 0.05);
    for (const Report &report : tally.reports)
        EXPECT_TRUE(report.delay_s < 0 || report.delay_s > 0.03);
}

TEST(System, ServesAlmostAllWithFullSetUpToo) {
    Model model;
    model.rrc.procedure = "setup";
    const LinkTables tables(model.cell);
    const Tally tally = System(model, tables, plan("mqtt", 25, 0.5, 200)).run();
    std::size_t delivered = 0;
    for (const Report &report : tally.reports)
        delivered += report.delay_s > 0;
    EXPECT_GT(static_cast<double>(delivered), 0.99 * static_cast<double>(tally.reports.size()));
}

} // namespace
} // namespace nbiot
