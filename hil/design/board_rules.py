"""Rules that join parameters of a trial and the board that it runs on: one row per rule."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import InputError
from hil.design import acquisition, device, faultlist, fleet, libraries, radio, sleeping
from hil.design.facts import Facts

CLOUD, LAPTOP = "cloud", "laptop"  # a peer, and the board that talks to it


@dataclass(frozen=True)
class BoardRule:
    """If `broken` on this board, the parameter `key` is refused with the problem and the remedy."""

    key: Callable[[Facts], str] | str
    broken: Callable[[Facts, str], object]
    problem: Callable[[Facts, str], str]
    remedy: str | Callable[[Facts], str]


RULES: tuple[BoardRule, ...] = (
    BoardRule(
        "foreign",
        lambda f, board: f.foreign and board not in device.FOREIGN_BOARDS,
        lambda f, board: f"does not apply to the board {board}",
        f"choose one of the boards {', '.join(device.FOREIGN_BOARDS)}, or remove it",
    ),
    BoardRule(
        "foreign",
        lambda f, board: not f.foreign and board in device.BOARDS,
        lambda f, board: f"is missing, but the board {board} runs a foreign program",
        "set it to true, or choose another board",
    ),
    BoardRule(
        "library",
        lambda f, board: f.library and board not in libraries.LIBRARIES[f.library].boards,
        lambda f, board: f"there is no {f.library} for the board {board}",
        lambda f: f"write 'board: {libraries.LIBRARIES[f.library or ''].boards[0]}'",
    ),
    BoardRule(
        "security",
        lambda f, board: f.library and f.secured,
        lambda f, board: f"{f.library} has no TLS in this firmware",
        "remove it",
    ),
    BoardRule(
        "library",
        lambda f, board: f.library and f.mode not in libraries.LIBRARIES[f.library].modes,
        lambda f, board: f"{f.library} does not support {f.mode}",
        lambda f: f"set mode to {' or '.join(libraries.LIBRARIES[f.library or ''].modes)}",
    ),
    BoardRule(
        "role",
        lambda f, board: f.library and f.role not in libraries.LIBRARIES[f.library].roles,
        lambda f, board: f"{f.library} does not {f.role} here",
        lambda f: f"set role to {' or '.join(libraries.LIBRARIES[f.library or ''].roles)}",
    ),
    BoardRule(
        "clock_ppm",
        lambda f, board: f.clock_ppm and board != libraries.EMULATED,
        lambda f, board: f"does not apply to the board {board}",
        "write 'board: lx106', or remove it",
    ),
    BoardRule(
        "devices",
        lambda f, board: f.devices > 1 and board != fleet.BOARD,
        lambda f, board: f"does not apply to the board {board}",
        f"write 'board: {fleet.BOARD}', or set it to 1",
    ),
    BoardRule(
        faultlist.key_of_emulated,
        faultlist.only_emulated,
        lambda f, board: f"{faultlist.only_emulated(f, board)} does not apply to the board {board}",
        f"write 'board: {faultlist.EMULATED_BOARD}', or remove it",
    ),
    # The simulated cell has no light sleep; rate and signal are parameters of the cell.
    BoardRule(
        lambda f: radio.stated(f)[0],
        lambda f, board: radio.stated(f) and board != libraries.BOARD,
        lambda f, board: f"does not apply to the board {board}",
        f"write 'board: {libraries.BOARD}', or remove it",
    ),
    BoardRule(
        "join",
        lambda f, board: f.joins and board not in sleeping.BOARDS,
        lambda f, board: f"does not apply to the board {board}",
        f"write 'board: {libraries.EMULATED}', or remove it",
    ),
    BoardRule(
        "join",
        lambda f, board: board == libraries.BOARD and f.join == "cached" and not f.deep_sleep,
        lambda f, board: "'cached' is for a chip that wakes: it knows no access point before",
        "set deep_sleep, or set it to scan",
    ),
    BoardRule(
        acquisition.stated,
        lambda f, board: acquisition.stated(f) and board not in acquisition.BOARDS,
        lambda f, board: f"does not apply to the board {board}",
        f"write 'board: {acquisition.BOARDS[0]}', or remove it",
    ),
    BoardRule(
        "address_assignment",
        lambda f, board: board == libraries.BOARD and f.address_assignment == "cached",
        lambda f, board: "'cached': the chip's SDK starts DHCP, and never asks for an old address",
        "set it to static or dhcp",
    ),
    BoardRule(
        "address_assignment",
        lambda f, board: f.address_assignment == "cached" and not f.deep_sleep,
        lambda f, board: "'cached' is for a board that wakes: it has no address before",
        "set deep_sleep, or set it to dhcp",
    ),
    BoardRule(
        "address_assignment",
        lambda f, board: acquisition.leased(f) and f.devices > 1,
        lambda f, board: "is for a single device",
        "remove devices, or set it to static",
    ),
    BoardRule(
        acquisition.stated,
        lambda f, board: acquisition.stated(f) and acquisition.other_image(f, board),
        lambda f, board: (
            f"does not go with {acquisition.other_image(f, board)}, which has another image"
        ),
        "remove one of them",
    ),
    BoardRule(
        sleeping.NAME,
        lambda f, board: sleeping.beyond(board, f),
        lambda f, board: f"does not apply to the board {board}",
        f"write 'board: {sleeping.BOARDS[0]}', or remove it",
    ),
    BoardRule(
        sleeping.NAME,
        lambda f, board: sleeping.other_image(board, f),
        lambda f, board: f"does not go with {sleeping.other_image(board, f)} on the board {board}",
        "remove one of them",
    ),
    BoardRule(
        sleeping.NAME,
        lambda f, board: f.deep_sleep and f.connection_messages is None,
        lambda f, board: "a device that keeps its connection does not sleep",
        "give connection_messages, or remove it",
    ),
    BoardRule(
        "peer",
        lambda f, board: (board == LAPTOP) != (f.peer == CLOUD),
        lambda f, board: f"'{f.peer}' is no peer of the board {board}",
        f"write 'board: {LAPTOP}' and 'peer: {CLOUD}', or neither",
    ),
)


def check(facts: Facts, board: str, source: str | Path) -> None:
    """Check the parameters of a trial, and of each of its groups, against its board.

    Raises:
        InputError: names the first rule that is broken.
    """
    for own, rule in itertools.product(facts.by_group, RULES):
        if rule.broken(own, board):
            key = rule.key if isinstance(rule.key, str) else rule.key(own)
            remedy = rule.remedy if isinstance(rule.remedy, str) else rule.remedy(own)
            raise InputError(source, key, rule.problem(own, board), remedy)
