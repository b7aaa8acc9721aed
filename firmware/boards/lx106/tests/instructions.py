"""A program of random instructions, to compare two emulators.

Each instruction has its own slot: literals, code that loads them into all registers, the
instruction, a jump to the next slot. Execution also continues in the next slot after an exception,
and when the timer fires before the slot is left. Instructions that end or stop a run are excluded,
and those that sim/lx106/src/core.hpp lists as missing.
"""

from __future__ import annotations

import random
import struct

FLASH, VECTORS, DATA = 0x40200000, 0x40100000, 0x3FFE8000
_RER, _WER = 0x406000, 0x407000  # QEMU reads them without their operands
_WAITI, _SIMCALL, _RFI, _WITLB, _WDTLB = 0x007000, 0x005100, 0x003010, 0x506000, 0x50E000
_EXCSAVE1, _SAR, _PS, _DBREAKC0, _VECBASE, _LITBASE = 209, 3, 230, 160, 231, 5
_INTENABLE, _CCOUNT, _CCOMPARE0, _TIMER = 228, 234, 240, 0x40
_RETURNS = (177, 178, 179, 192)  # EPC1 to EPC3, DEPC: the targets of RFE, RFI and RFDE
_LONGEST = 100  # the largest number of cycles of a slot
_REST = 8  # bytes of an instruction and the jump after it
# Registers that must keep their values: addresses of handlers and literals, the clock, instruction
# breakpoints.
_KEPT = {_EXCSAVE1, _VECBASE, _LITBASE, _CCOUNT, _CCOMPARE0, 96, 128, 236, 237}
# PS before an instruction: user or kernel.
_STATES = (0x20, 0x00)


# Every instruction: its fixed bits, and a mask of the bits that may have any value, even an invalid
# one.
_RRR = 0xFFF0
_FORMS = (
    *((op2 << 20, _RRR) for op2 in (1, 2, 3, *range(8, 16))),  # AND to SUBX8
    (0x600000, _RRR),  # NEG, ABS
    *((0x400000 | r << 12, 0x0FF0) for r in range(4)),  # SSR, SSL, SSA8L, SSA8B
    *((0x404000, 0x0FF0), (0x40E000, 0x0FF0), (0x40F000, 0x0FF0)),  # SSAI, NSA, NSAU
    *((0x500000 | r << 12, 0x0FF0) for r in (3, 5, 7, 11, 13, 15)),  # of the TLB
    *((0x010000 | op2 << 20, _RRR) for op2 in (0, 1, 2, 3, 4, 8, 12, 13)),  # SLLI to MUL16S
    *((op2 << 20 | 0x010000, _RRR) for op2 in (9, 10, 11)),  # SRL, SLL, SRA
    *((0x030000, _RRR), (0x130000, _RRR), (0x610000, _RRR)),  # RSR, WSR, XSR
    *((0x820000, _RRR), (0x040000, 0xF1FFF0)),  # MULL, EXTUI
    *((0x030000 | op2 << 20, _RRR) for op2 in range(8, 12)),  # MOVEQZ to MOVGEZ
    *((0x002000 | t << 4, free) for t in range(16) for free in (0, 0x0F00)),  # ISYNC to NOP
    *((0x006000, 0x0FF0), (0x004000, 0x0FF0), (0x005000, 0x0F00)),  # RSIL, BREAK, SYSCALL
    *((0x003000, 0), (0x003200, 0), (0x003210, 0), (0x003310, 0)),  # RFE, RFDE, RFI
    *((0x000080, 0x0F00), (0x0000A0, 0x0F00), (0x0000C0, 0x0F00)),  # RET, JX, CALLX0
    *((2 | r << 12, 0xFF0FF0) for r in (0, 1, 2, 4, 5, 6, 9, 10, 12, 13)),  # L8UI to ADDMI
    *((1, 0xFFFFF0), (5, 0xFFFFC0), (6, 0xFFFFC0), (7, 0xFFFFF0)),  # L32R, CALL0, J, BEQ to BBSI
    *((6 | t << 4, 0xFFFF00) for t in (1, 5, 9, 13, 2, 6, 10, 14, 11, 15)),  # BEQZ to BGEUI
    *((op0, _RRR) for op0 in range(8, 13)),  # those of two bytes
    *((0x000D, 0x0FF0), (0xF00D, 0x0FF0)),
)


def _wsr(number: int, register: int) -> bytes:
    return (0x130000 | number << 8 | register << 4).to_bytes(3, "little")


def _rsr(number: int, register: int) -> bytes:
    return (0x030000 | number << 8 | register << 4).to_bytes(3, "little")


def _addi(register: int, value: int) -> bytes:
    return (0x00C002 | value << 16 | register << 8 | register << 4).to_bytes(3, "little")


def _l32r(register: int, at: int, literal: int) -> bytes:
    offset = (literal - (at + 3 & ~3)) >> 2
    return (1 | register << 4 | (offset & 0xFFFF) << 8).to_bytes(3, "little")


def _jump(at: int, to: int) -> bytes:
    return (6 | (to - at - 4 & 0x3FFFF) << 6).to_bytes(3, "little")


def _left_out(word: int) -> bool:
    """Whether an instruction would end the run."""
    if word & 0xFFF0FF == _WAITI or word & 0xFFFFFF == _SIMCALL:
        return True
    if word & 0xFFF00F in (_WITLB, _WDTLB, _RER, _WER):
        return True
    if word & 0xFFF0FF == _RFI and word >> 8 & 15 not in (2, 3):
        return True  # QEMU 7.2 aborts on other levels
    writes = word & 0xFF000F in (0x130000, 0x610000)  # WSR, XSR
    return writes and word >> 8 & 0xFF in _KEPT


def _leads_to(word: int, offset: int) -> int:
    """Return the instruction; if it is a jump or a branch, with a target `offset` bytes after
    itself.
    """
    way = offset - 4
    op0, kind = word & 15, word >> 4 & 3
    if op0 == 5 and not kind:  # CALL0 counts words from its own address
        return word & 0x3F | (offset >> 2) - 1 << 6
    if op0 == 6 and not kind:  # J
        return word & 0x3F | way << 6
    if op0 == 6 and kind == 1:
        return word & 0xFFF | way << 12
    if op0 in (6, 7):
        return word & 0xFFFF | way << 16
    if op0 == 12 and word & 0x80:  # BEQZ.N, BNEZ.N
        return word & 0xFF0FCF | (way & 15) << 12 | (way >> 4) << 4
    return word


def _instruction(chance: random.Random) -> bytes:
    """Return an instruction. Jumps and branches lead to the end of the slot, except jumps to an
    address in a register.
    """
    while True:
        word = chance.getrandbits(24)
        if chance.random() < 0.7:
            known, free = chance.choice(_FORMS)
            word = known | word & free
        if word & 0xFF000F in (0x030000, 0x130000, 0x610000):  # RSR, WSR, XSR of what exists
            known = (3, 5, 144, 177, 178, 179, 192, 194, 195, 210, 211, 226, 227, 228, 232, 238)
            word = word & ~0xFF00 | chance.choice((*known, chance.getrandbits(8))) << 8
        if not _left_out(word):
            length = 2 if 8 <= word & 15 < 14 else 3
            return _leads_to(word, _REST).to_bytes(3, "little")[:length]


def _value(chance: random.Random) -> int:
    """Return a value for a register: any, a small one, an address, one bit, or all bits but one."""
    return chance.choice(
        (
            chance.getrandbits(32),
            chance.randrange(-4, 40) & 0xFFFFFFFF,
            DATA + 4 * chance.randrange(0x2000),
            DATA + chance.randrange(0x8000),
            VECTORS + 16 * chance.randrange(8),
            1 << chance.randrange(32),
            ~(1 << chance.randrange(32)) & 0xFFFFFFFF,
        )
    )


def _slot(chance: random.Random, at: int) -> bytes:
    """A slot that begins at `at`, a multiple of four, with a jump over its literals."""
    sar, state = chance.randrange(64), chance.choice(_STATES)
    values = [_value(chance) for _ in range(16)]
    literals = [sar, _TIMER, 0, state, *values]
    begin = at + 4 + 4 * (1 + len(literals))
    code = b""
    places = range(at + 8, begin, 4)
    code += _rsr(_CCOUNT, 0) + _addi(0, _LONGEST) + _wsr(_CCOMPARE0, 0)
    code += _l32r(0, begin + len(code), at + 4)
    code += b"".join(_wsr(number, 0) for number in (_EXCSAVE1, *_RETURNS))
    for number, literal in zip((_SAR, _INTENABLE, _DBREAKC0, _PS), places[:4], strict=True):
        code += _l32r(0, begin + len(code), literal) + _wsr(number, 0)
    for register, literal in enumerate(places[4:]):
        code += _l32r(register, begin + len(code), literal)
    while begin + len(code) & 3:  # so that the end is where a full-length instruction would lead
        code += _wsr(_SAR, 15)
    end = begin + len(code) + _REST
    code += _instruction(chance)
    code += _jump(begin + len(code), end)
    code += bytes(end - begin - len(code))
    head = _jump(at, begin) + b"\0" + struct.pack("<I", end)
    return head + struct.pack(f"<{len(literals)}I", *literals) + code


def elf(slots: int, seed: int) -> bytes:
    """The program as a file for `-kernel`; after the last slot it begins again."""
    chance = random.Random(seed)
    go_on = _rsr(_EXCSAVE1, 0) + bytes.fromhex("a00000")  # jx a0
    vectors = go_on.ljust(16, b"\0") * 8
    # The first slot: VECBASE. A literal, then code.
    flash = _jump(FLASH, FLASH + 8) + b"\0" + struct.pack("<I", VECTORS)
    flash += _l32r(0, FLASH + 8, FLASH + 4) + _wsr(_VECBASE, 0)
    first = FLASH + len(flash) + 3 + 3 & ~3
    flash += _jump(FLASH + len(flash), first)
    flash += bytes(first - FLASH - len(flash))
    for _ in range(slots):
        flash += _slot(chance, FLASH + len(flash))
    last = FLASH + len(flash)
    flash += _jump(last, last + 8) + b"\0" + struct.pack("<I", first)
    flash += _l32r(0, last + 8, last + 4) + bytes.fromhex("a00000")  # jx a0
    segments = ((VECTORS, vectors), (FLASH, flash))
    offset = 52 + 32 * len(segments)
    headers = body = b""
    for address, data in segments:
        place = (offset + len(body), address, address, len(data), len(data))
        headers += struct.pack("<8I", 1, *place, 7, 4)
        body += data
    ident = b"\x7fELF\1\1\1".ljust(16, b"\0")
    sizes = (52, 32, len(segments), 40, 0, 0)
    return ident + struct.pack("<2H5I6H", 2, 94, 1, FLASH, 52, 0, 0, *sizes) + headers + body
