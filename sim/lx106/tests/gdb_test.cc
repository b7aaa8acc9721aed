// The debugger's side of the board: packets, what a session answers, and that halts leave no trace.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "gdb_channel.hpp"
#include "gdb_packets.hpp"
#include "gdb_registers.hpp"
#include "gdb_session.hpp"
#include "gdb_stub.hpp"
#include "program.hpp"

namespace {

using namespace lx106;
using namespace lx106_test;

// ---- packets ----

GdbReader::Found read_all(GdbReader &reader, std::string_view text) {
    GdbReader::Found found = GdbReader::Found::nothing;
    for (const char c : text)
        found = reader.take(static_cast<std::uint8_t>(c));
    return found;
}

TEST(Lx106Gdb, APacketIsTakenOutOfItsFrame) {
    GdbReader reader;
    EXPECT_EQ(read_all(reader, "+$m0,4#fd"), GdbReader::Found::packet);
    EXPECT_EQ(reader.packet(), "m0,4");
    EXPECT_EQ(gdb_packet("m0,4"), "$m0,4#fd");
}

TEST(Lx106Gdb, AWrongChecksumIsNoticed) {
    GdbReader reader;
    EXPECT_EQ(read_all(reader, "$m0,4#fc"), GdbReader::Found::broken);
    EXPECT_EQ(read_all(reader, "$m0,4#zz"), GdbReader::Found::broken);
}

TEST(Lx106Gdb, ControlCIsARequestOutsideOfPacketsOnly) {
    GdbReader reader;
    EXPECT_EQ(reader.take(3), GdbReader::Found::interrupt);
    EXPECT_EQ(read_all(reader, "$\3"), GdbReader::Found::nothing);
}

TEST(Lx106Gdb, APacketThatIsTooLongIsDroppedAndTheNextOneRead) {
    GdbReader reader;
    const std::string long_one(kGdbPacketMax + 1, 'x');
    EXPECT_EQ(read_all(reader, gdb_packet(long_one)), GdbReader::Found::broken);
    EXPECT_EQ(read_all(reader, gdb_packet("?")), GdbReader::Found::packet);
}

TEST(Lx106Gdb, NumbersEndWhereTheirDigitsDo) {
    std::string_view text = "40200000,4", none = ",", big = "123456789";
    EXPECT_EQ(take_number(text), 0x40200000u);
    EXPECT_EQ(text, ",4");
    EXPECT_EQ(take_number(none), std::nullopt);
    EXPECT_EQ(take_number(big), std::nullopt);
}

// ---- a session with a halted board ----

// Halts that remember why, and step on if asked.
class Recording final : public Halts {
public:
    void halted(const Halt &why) override {
        reasons.push_back(why.reason);
        if (on_halt)
            on_halt();
    }
    [[nodiscard]] bool requested() override { return false; }
    std::vector<Halt::Reason> reasons;
    std::function<void()> on_halt;
};

struct Debugged {
    explicit Debugged(const Bytes &code)
        : board(parse_elf(elf_with(code)), "", kInstruction, outside), session(board, halts) {
        board.core().use(&halts);
    }
    std::string ask(std::string_view packet) { return session.answer(packet).contents; }
    Remembering outside;
    Board board;
    Recording halts;
    GdbSession session;
};

constexpr std::uint32_t kData = 0x3ffe8000;

Bytes nops(int count) {
    Bytes code;
    for (int i = 0; i < count; ++i)
        code.insert(code.end(), {0x3d, 0xf0});
    return code;
}

// s32i.n a4, a3, 0 between two no-operations, with a3 at the data.
Debugged storing() {
    return Debugged({0x3d, 0xf0, 0x49, 0x03, 0x3d, 0xf0});
}

TEST(Lx106Gdb, RegistersHaveTheNumbersOfTheDescription) {
    Debugged debugged(nops(1));
    debugged.board.core().registers.a[1] = 0x3fffff00;
    EXPECT_EQ(debugged.ask("p1"), "00ffff3f");
    EXPECT_EQ(debugged.ask("p20"), "00002040"); // pc
    EXPECT_EQ(debugged.ask("p10"), "xxxxxxxx"); // r16
    EXPECT_EQ(debugged.ask("g").size(), gdb_register_count() * 8);
    const std::string text = gdb_target_description();
    std::size_t count = 0;
    for (std::size_t at = text.find("<reg "); at != std::string::npos;
         at = text.find("<reg ", at + 1))
        ++count;
    EXPECT_EQ(count, gdb_register_count());
}

TEST(Lx106Gdb, WhatIsWrittenIntoARegisterIsThere) {
    Debugged debugged(nops(1));
    EXPECT_EQ(debugged.ask("P2=78563412"), "OK");
    EXPECT_EQ(debugged.board.core().registers.a[2], 0x12345678u);
    EXPECT_EQ(debugged.ask("P10=78563412"), "E01");
    std::string all = debugged.ask("g");
    all.replace(3 * 8, 8, "01000000");
    EXPECT_EQ(debugged.ask("G" + all), "OK");
    EXPECT_EQ(debugged.board.core().registers.a[3], 1u);
}

TEST(Lx106Gdb, MemoryIsReadAndWrittenWhereThereIsSome) {
    Debugged debugged(nops(1));
    EXPECT_EQ(debugged.ask("M3ffe8000,2:abcd"), "OK");
    EXPECT_EQ(debugged.ask("m3ffe8000,4"), "abcd0000");
    EXPECT_EQ(debugged.ask("m0,4"), "E0e");
    EXPECT_EQ(debugged.ask("m3fffffff,2"), "E0e"); // the end of data
    EXPECT_EQ(debugged.ask("mffffffff,ffffffff"), "E0e");
    EXPECT_EQ(debugged.ask("m3ffe8000,4000").size(), kGdbPacketMax - 16); // the beginning
    EXPECT_EQ(debugged.ask("M3ffe8000,2:abc"), "E01");
}

TEST(Lx106Gdb, CodeThatIsWrittenIsExecuted) {
    Debugged debugged(nops(2));
    debugged.board.run(1);                             // both are decoded by now, or will be
    EXPECT_EQ(debugged.ask("M40200002,2:0c12"), "OK"); // movi.n a2, 1
    debugged.board.run(2);
    EXPECT_EQ(debugged.board.core().registers.a[2], 1u);
}

TEST(Lx106Gdb, TheBoardHaltsBeforeTheInstructionOfABreakpoint) {
    Debugged debugged(nops(10));
    EXPECT_EQ(debugged.ask("Z0,40200004,2"), "OK");
    std::uint32_t pc = 0;
    std::uint64_t executed = 0;
    debugged.halts.on_halt = [&] {
        pc = debugged.board.core().registers.pc;
        executed = debugged.board.core().executed();
    };
    debugged.board.run(8);
    EXPECT_EQ(debugged.halts.reasons, std::vector{Halt::Reason::breakpoint});
    EXPECT_EQ(pc, kFlash + 4);
    EXPECT_EQ(executed, 2u);
    EXPECT_EQ(debugged.board.core().registers.pc, kFlash + 16); // and went on
    EXPECT_EQ(debugged.ask("z0,40200004,2"), "OK");
    EXPECT_TRUE(debugged.halts.breakpoints.empty());
}

TEST(Lx106Gdb, AStepIsOneInstruction) {
    Debugged debugged(nops(10));
    debugged.ask("s");
    debugged.board.run(5);
    EXPECT_EQ(debugged.halts.reasons, std::vector{Halt::Reason::step});
}

TEST(Lx106Gdb, AStepWithinARangeEndsBehindIt) {
    Debugged debugged(nops(10));
    EXPECT_EQ(debugged.session.answer("vCont;r40200000,40200006:1").then, GdbSession::Then::go_on);
    std::uint32_t pc = 0;
    debugged.halts.on_halt = [&] { pc = debugged.board.core().registers.pc; };
    debugged.board.run(8);
    EXPECT_EQ(debugged.halts.reasons, std::vector{Halt::Reason::step});
    EXPECT_EQ(pc, kFlash + 6);
}

TEST(Lx106Gdb, AWatchedStoreHaltsBeforeItIsCarriedOutAndIsThenCarriedOut) {
    Debugged debugged = storing();
    debugged.board.core().registers.a[3] = kData;
    debugged.board.core().registers.a[4] = 7;
    EXPECT_EQ(debugged.ask("Z2,3ffe8002,1"), "OK");
    std::string before;
    debugged.halts.on_halt = [&] { before = debugged.ask("m3ffe8000,1"); };
    debugged.board.run(3);
    EXPECT_EQ(debugged.halts.reasons, std::vector{Halt::Reason::watchpoint});
    EXPECT_EQ(before, "00");
    EXPECT_EQ(debugged.ask("m3ffe8000,1"), "07");
    EXPECT_EQ(debugged.session.stopped({Halt::Reason::watchpoint, 0x3ffe8002}),
              "T05watch:3ffe8002;");
}

TEST(Lx106Gdb, AStoreElsewhereOrALoadIsNotAWatchedStore) {
    for (const char *point : {"Z2,3ffe8004,4", "Z3,3ffe8000,4"}) {
        Debugged debugged = storing();
        debugged.board.core().registers.a[3] = kData;
        debugged.ask(point);
        debugged.board.run(3);
        EXPECT_TRUE(debugged.halts.reasons.empty()) << point;
    }
}

TEST(Lx106Gdb, WhatIsNotKnownHasAnEmptyAnswer) {
    Debugged debugged(nops(1));
    for (const char *packet : {"", "X", "vMustReplyEmpty", "qNothing", "Qx", "Z5,0,1", "vContx"})
        EXPECT_EQ(debugged.ask(packet), "") << packet;
}

TEST(Lx106Gdb, TheDescriptionComesInPieces) {
    Debugged debugged(nops(1));
    const std::string first = debugged.ask("qXfer:features:read:target.xml:0,20");
    EXPECT_EQ(first, "m" + gdb_target_description().substr(0, 0x20));
    EXPECT_EQ(debugged.ask("qXfer:features:read:target.xml:ffff,20"), "l");
    EXPECT_EQ(debugged.ask("qXfer:features:read:target.xml:x"), "E01");
}

// ---- halts leave no trace ----

// An alarm rings in the middle of a loop, its handler counts in a5 and returns: 400 instructions.
Debugged interrupted() {
    // movi a3, 64; wsr.intenable a3; movi a3, 50; wsr.ccompare0 a3; rsil a3, 0; nop.n; j to it
    Debugged debugged({0x32, 0xa0, 0x40, 0x30, 0xe4, 0x13, 0x32, 0xa0, 0x32, 0x30,
                       0xf0, 0x13, 0x30, 0x60, 0x00, 0x3d, 0xf0, 0x86, 0xfe, 0xff});
    Registers &registers = debugged.board.core().registers;
    registers.special[VECBASE] = kFlash + 0x100;
    registers.special[PS] = 0x20;
    std::uint8_t *handler = debugged.board.memory().change(kFlash + 0x150, 16);
    // addi.n a5, a5, 1; addi a4, a4, 100; wsr.ccompare0 a4; rfe
    const Bytes code = {0x1b, 0x55, 0x42, 0xc4, 0x64, 0x40, 0xf0, 0x13, 0x00, 0x30, 0x00};
    std::copy(code.begin(), code.end(), handler);
    return debugged;
}

struct Trace {
    Registers registers;
    std::uint64_t executed;
    Time now;
    bool operator==(const Trace &) const = default;
};

Trace trace(Debugged &debugged) {
    for (std::uint64_t until = 37; until <= 400; until += 37)
        debugged.board.run(until);
    const Core &core = debugged.board.core();
    return {core.registers, core.executed(), core.now()};
}

TEST(Lx106Gdb, HaltsChangeNothing) {
    Debugged plain = interrupted();
    const Trace expected = trace(plain);
    EXPECT_GT(expected.registers.a[5], 0u) << "no interrupt";
    EXPECT_EQ(plain.halts.reasons.size(), 0u);

    Debugged stepped = interrupted();
    stepped.halts.on_halt = [&] { stepped.ask("s"); };
    stepped.ask("s");
    EXPECT_EQ(trace(stepped), expected);
    EXPECT_GT(stepped.halts.reasons.size(), 100u);

    Debugged broken = interrupted();
    broken.ask("Z0,40200150,2"); // the handler
    broken.ask("Z0,4020000f,2"); // the loop
    broken.ask("Z4,3ffe8000,40");
    EXPECT_EQ(trace(broken), expected);
    EXPECT_GT(broken.halts.reasons.size(), 100u);

    Debugged timed = interrupted();
    timed.halts.time = 100 * kInstruction;
    EXPECT_EQ(trace(timed), expected);
    EXPECT_EQ(timed.halts.reasons, std::vector{Halt::Reason::time});
}

TEST(Lx106Gdb, AHaltAtATimeIsOutsideOfAnInterruptsHandler) {
    Debugged debugged = interrupted();
    debugged.board.core().registers.special[PS] = 0x20;
    std::uint64_t entered = 0;
    debugged.halts.breakpoints = {kFlash + 0x150};
    debugged.board.core().use(&debugged.halts);
    std::uint32_t pc = 0;
    debugged.halts.on_halt = [&] {
        const Core &core = debugged.board.core();
        if (debugged.halts.reasons.back() == Halt::Reason::time)
            pc = core.registers.pc;
        else if (entered == 0) {
            entered = core.executed();
            debugged.halts.time = core.now() + kInstruction; // the handler's second instruction
        }
    };
    debugged.board.run(100);
    EXPECT_GT(entered, 0u);
    EXPECT_LT(pc, kFlash + 0x100);
    EXPECT_GT(pc, 0u);
}

TEST(Lx106Gdb, AStepDoesNotEndInAnInterruptsHandler) {
    Debugged debugged = interrupted();
    std::set<std::uint32_t> seen;
    debugged.halts.on_halt = [&] {
        seen.insert(debugged.board.core().registers.pc);
        debugged.ask("s");
    };
    debugged.ask("s");
    const Trace end = trace(debugged);
    EXPECT_GT(end.registers.a[5], 0u);
    EXPECT_TRUE(seen.lower_bound(kFlash + 0x100) == seen.end()) << std::hex << *seen.rbegin();
}

// ---- the whole stub, over a socket ----

TEST(Lx106Gdb, ADebuggerHaltsTheBoardLooksAndLetsItGoOn) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    std::string heard;
    {
        Remembering outside;
        GdbStub stub(open_gdb_channel("fd:" + std::to_string(ends[1])), 3 * kInstruction);
        Board board(parse_elf(elf_with(nops(10))), "", kInstruction, outside);
        stub.attach(board);
        board.core().registers.special[PS] = 0x20; // no exception is handled
        std::thread debugger([&] {
            const std::string asked = gdb_packet("QStartNoAckMode") + gdb_packet("p20") +
                                      gdb_packet("s") + gdb_packet("p20") + gdb_packet("c");
            ASSERT_EQ(write(ends[0], asked.data(), asked.size()),
                      static_cast<ssize_t>(asked.size()));
        });
        board.run(9);
        debugger.join();
    }
    char buffer[400];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
        heard.append(buffer, static_cast<std::size_t>(count));
    close(ends[0]);
    EXPECT_EQ(heard, "+" + gdb_packet("OK") + gdb_packet("06002040") + gdb_packet("S05") +
                         gdb_packet("08002040") + gdb_packet("W00"));
}

TEST(Lx106Gdb, ABoardGoesOnWithoutItsDebugger) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Remembering outside;
    GdbStub stub(open_gdb_channel("fd:" + std::to_string(ends[1])), 0);
    Board board(parse_elf(elf_with(nops(10))), "", kInstruction, outside);
    stub.attach(board);
    const std::string asked = gdb_packet("Z0,40200008,2");
    ASSERT_EQ(write(ends[0], asked.data(), asked.size()), static_cast<ssize_t>(asked.size()));
    close(ends[0]);
    board.run(9);
    EXPECT_EQ(board.core().executed(), 9u);
    EXPECT_TRUE(stub.breakpoints.empty());
}

TEST(Lx106Gdb, WhatNamesNoConnectionIsRefused) {
    for (const char *text :
         {"", "tcp", "tcp:", "tcp:70000", "tcp:1x", "unix:", "fd:-1", "fd:", "x:1"})
        EXPECT_THROW((void)open_gdb_channel(text), std::runtime_error) << text;
}

} // namespace
