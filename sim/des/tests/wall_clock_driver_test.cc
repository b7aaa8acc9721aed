#include "des/wall_clock_driver.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace std::chrono_literals;
using des::Time;
using Clock = std::chrono::steady_clock;

des::WallClockDriver::Options ordinary() {
    return {.spin = 0us, .longest_sleep = 50ms, .realtime = false};
}

struct Pipe {
    Pipe() { EXPECT_EQ(pipe(ends), 0); }
    ~Pipe() {
        close(ends[0]);
        hang_up();
    }
    void hang_up() {
        if (ends[1] >= 0)
            close(ends[1]);
        ends[1] = -1;
    }
    void put(char c) const { EXPECT_EQ(write(ends[1], &c, 1), 1); }
    char get() const {
        char c = 0;
        EXPECT_EQ(read(ends[0], &c, 1), 1);
        return c;
    }
    int ends[2] = {-1, -1};
};

// An event at this time that records when it ran.
void note(des::EventQueue &queue, Time at, Clock::time_point &ran) {
    auto *when = &ran;
    queue.schedule(at, [when] { *when = Clock::now(); });
}

TEST(WallClockDriver, AnEventRunsNotBeforeItsTime) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    const auto start = Clock::now();
    Clock::time_point ran;
    note(queue, 20ms, ran);
    driver.run(30ms);
    EXPECT_GE(ran - start, 20ms);
    EXPECT_GE(Clock::now() - start, 30ms);
    EXPECT_EQ(queue.now(), Time(30ms));
}

TEST(WallClockDriver, ReadablePortsAreServedInOrderOfAdding) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    Pipe first, second, third;
    std::string order;
    for (const Pipe *port : {&first, &second, &third})
        driver.add_port(port->ends[0], [&order, port] { order += port->get(); });
    third.put('c');
    second.put('b');
    first.put('a');
    driver.run(5ms);
    EXPECT_EQ(order, "abc");
}

TEST(WallClockDriver, WhatWasDueComesBeforeAnArrival) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    Pipe port;
    std::string order;
    auto *log = &order;
    queue.schedule(0ms, [log] { *log += 'e'; });
    driver.add_port(port.ends[0], [&] { order += port.get(); });
    port.put('p');
    driver.run(5ms);
    EXPECT_EQ(order, "ep");
}

// With nobody waiting, do internal events wait until the driver wakes for another reason?
TEST(WallClockDriver, SleepsThroughEventsThatConcernNobody) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, {.spin = 0us, .longest_sleep = 1s, .realtime = false});
    int runs = 0;
    auto *count = &runs;
    for (int i = 0; i < 1000; ++i)
        queue.schedule(i * 50us, [count] { ++*count; });
    driver.set_next_moment([] { return des::kNever; });
    driver.run(60ms);
    EXPECT_EQ(runs, 1000);
    EXPECT_LE(driver.statistics().wakeups, 2u);
}

// If nothing happens elsewhere, does only an event visible outside wait for the clock?
TEST(WallClockDriver, RunsAheadToWhatIsNoticed) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    int ran = 0;
    auto *count = &ran;
    for (int i = 1; i < 600; ++i)
        queue.schedule(i * 50us, [count] { ++*count; });
    const auto start = Clock::now();
    Clock::time_point noticed;
    note(queue, 30ms, noticed);
    driver.set_next_moment([&] { return queue.next_time(); });
    driver.run_ahead([] { return Time(30ms); }, [](Time) { return des::kNever; });
    driver.run(35ms);
    EXPECT_EQ(ran, 599);
    EXPECT_GE(noticed - start, 30ms);
    EXPECT_LE(driver.statistics().wakeups, 4u);
}

// If something may happen elsewhere at any time, the driver must not run ahead.
TEST(WallClockDriver, DoesNotRunAheadOfWhatMayHappenElsewhere) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    const auto start = Clock::now();
    Clock::time_point ran;
    queue.schedule(5ms, [] {});
    note(queue, 20ms, ran);
    driver.set_next_moment([&] { return queue.next_time(); });
    driver.run_ahead([] { return des::kNever; }, [](Time woken) { return woken + 1ms; });
    driver.run(25ms);
    EXPECT_GE(ran - start, 20ms);
}

// A port whose other end is closed stays "ready" for ever: does the driver still sleep?
TEST(WallClockDriver, ADeadPortDoesNotKeepItAwake) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    Pipe port;
    int served = 0;
    driver.add_port(port.ends[0], [&] { ++served; });
    port.hang_up();
    driver.run(30ms);
    EXPECT_EQ(served, 0);
    EXPECT_LE(driver.statistics().wakeups, 3u);
}

TEST(WallClockDriver, ASignalEndsTheRun) {
    des::EventQueue queue;
    des::WallClockDriver driver(queue, ordinary());
    driver.stop_on_signals();
    queue.schedule(1ms, [] { kill(getpid(), SIGTERM); });
    const auto start = Clock::now();
    driver.run(10s);
    EXPECT_LT(Clock::now() - start, 5s);
}

} // namespace
