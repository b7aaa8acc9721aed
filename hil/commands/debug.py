"""`thinwire debug`: run the trial of a bundle again up to a virtual time, and open GDB there."""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from hil.base.documents import read_json
from hil.base.errors import InputError, LabError, TransientHostError
from hil.base.paths import ROOT
from hil.base.schema import validate
from hil.bundle import store as bundle
from hil.design.trials import nonce
from hil.machine import flavours
from hil.machine.uml import halted
from hil.machine.uml.debugger import Session
from hil.machine.uml.halted import ProgramSession
from hil.rig.boards import BOARDS
from hil.rig.request import TrialRequest
from hil.system import scratch, tools
from hil.testbeds import runner
from hil.testbeds.virtual import VirtualTestbed

GDB = "gdb-multiarch"
SCRIPT = ROOT / "firmware/boards/lx106/gdb.py"
_EMULATOR = "lx106"
_PROGRAMS = ("program", "tap")
_TIME = re.compile(r"(\d{1,7})(?:\.(\d{1,12}))?")
_REMEDY = "name a bundle's folder"

DESCRIPTION = """\
Run the trial of a bundle again, halt its board, and open GDB with the symbols of the firmware, or
of the user's own program. Virtual time stands still while the board is halted. When GDB ends or
detaches, the trial goes on to its end, and the result is compared with the bundle: without changes
it has the same bytes.

  thinwire debug data/raw/quickstart/mqtt-qos1_nagle1_interval100_duration30_r1 --at 41.3
  thinwire debug BUNDLE --command 'break tw_app_poll' --command continue --command backtrace --batch
  thinwire debug my-client/thinwire-out/try/r1_program --at 10

Times count from when the board was switched on or the program started. It halts before the first
instruction that it executes at --at or later. docs/debug.md says what GDB can do.

Exit status: 0; 2 for bad input; 3 if the laboratory failed.
"""


def picoseconds(text: str) -> int:
    """Return a time in s, written in decimals, in ps.

    Raises:
        InputError: it is none.
    """
    if not (found := _TIME.fullmatch(text)):
        raise InputError("--at", text, "is no time in seconds", "write it as in --at 41.3")
    return int(found[1] + (found[2] or "").ljust(12, "0"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `thinwire debug` to its parser."""
    parser.description = DESCRIPTION
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="folder of a trial's bundle")
    parser.add_argument(
        "--at", default="0", metavar="S", help="virtual second to halt at (default: 0)"
    )
    parser.add_argument(
        "--firmware",
        type=Path,
        metavar="FILE",
        help="the trial's firmware or package (default: where it was made)",
    )
    parser.add_argument(
        "--server", type=Path, metavar="FILE", help="the package of the trial's own server"
    )
    parser.add_argument(
        "--command",
        action="append",
        default=[],
        metavar="COMMAND",
        help="a command for GDB; may be given several times",
        dest="commands",
    )
    parser.add_argument(
        "--script", type=Path, metavar="FILE", help="a file of commands for GDB, read before these"
    )
    parser.add_argument(
        "--batch", action="store_true", help="end GDB after the commands, without a prompt"
    )
    parser.add_argument("--gdb", default=GDB, metavar="PROGRAM", help="the debugger")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="also store the bundle of this run below DIR"
    )


def _document(folder: Path, name: str) -> dict[str, Any]:
    document = read_json(folder / name, _REMEDY)
    if not isinstance(document, dict):
        raise InputError(folder / name, "", "is no JSON object", _REMEDY)
    return document


def _file(given: Path | None, usual: Path, sha256: str, option: str) -> Path:
    """Return the file of a trial.

    Raises:
        InputError: it is missing, or another one than the trial's.
    """
    path = given or usual
    remedy = f"check out and build the state that the trial ran, or name the file with {option}"
    try:
        digest = bundle.file_digest(path)
    except OSError as error:
        raise InputError(path, "", error.strerror or "cannot be read", remedy) from error
    if digest != sha256:
        problem = f"is not the trial's file: SHA-256 {digest[:16]}..., not {sha256[:16]}..."
        raise InputError(path, "", problem, remedy)
    return path


def _request(arguments: argparse.Namespace) -> TrialRequest:
    """Return the request of the bundle's trial, with its halt.

    Raises:
        InputError: it cannot be run again here, or its board has no debugger.
    """
    folder = arguments.bundle
    document = _document(folder, "trial.json")
    validate(document, "trial", folder / "trial.json")
    board = document["firmware"]["board"]
    if board not in (_EMULATOR, *_PROGRAMS):
        remedy = f"debug a trial of the board {_EMULATOR}, {' or '.join(_PROGRAMS)}"
        raise InputError(folder, "firmware.board", f"'{board}' has no debugger here", remedy)
    if board in _PROGRAMS and "device" not in document:
        problem = f"is missing, though the board is '{board}'"
        raise InputError(folder / "trial.json", "device", problem, _REMEDY)
    if document["testbed"] != VirtualTestbed.name:
        problem = f"is a trial of the testbed '{document['testbed']}'"
        raise InputError(folder, "", problem, "debug a trial of the testbed 'virtual'")
    request = TrialRequest(
        document, nonce(document), BOARDS[board].config(document, nonce(document)), folder
    )
    made = folder.absolute().parents[1]  # where `thinwire try` leaves the packages
    firmware = _file(
        arguments.firmware,
        made / "device.tar" if request.packaged else runner.firmware(board, request.facts),
        document["firmware"]["sha256"],
        "--firmware",
    )
    server = None
    if foreign := document.get("server"):
        server = _file(arguments.server, made / "server.tar", foreign["sha256"], "--server")
    return TrialRequest(
        document,
        request.nonce,
        request.config_line,
        firmware,
        _EMULATOR,
        server,
        picoseconds(arguments.at),
    )


def _gdb(arguments: argparse.Namespace, *words: str | Path) -> list[str]:
    """Return GDB's command, in which `words` make it halt the board."""
    argv = [str(tools.find(arguments.gdb)), "-q", *map(str, words)]
    if arguments.batch:
        argv[1:1] = ["-nx", "-batch"]
    if arguments.script:
        argv += ["-x", str(arguments.script.absolute())]
    for command in arguments.commands:
        argv += ["-ex", command]
    return argv


def _check(arguments: argparse.Namespace) -> None:
    """Check what can be wrong before the trial is run."""
    if tools.find(arguments.gdb) is None:
        remedy = f"run 'apt-get install {GDB}', or name another with --gdb"
        raise InputError("--gdb", arguments.gdb, "is not installed", remedy)
    if arguments.script and not arguments.script.is_file():
        raise InputError("--script", str(arguments.script), "is no file", "name a file for GDB")


def differences(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Return the names of the files that differ between a bundle and the files of another one."""
    names = {path.name for path in folder.iterdir()} | set(files)
    return [
        name
        for name in sorted(names - {bundle.SUMS})
        if not (folder / name).is_file() or (folder / name).read_bytes() != files.get(name)
    ]


def _report(arguments: argparse.Namespace, files: dict[str, bytes]) -> None:
    """Print how this run compares with the bundle."""
    folder = arguments.bundle
    changed = differences(folder, files)
    if not changed:
        print(f"thinwire: the run has the same bytes as {folder}")
        return
    print(f"thinwire: the run differs from {folder} in {', '.join(changed)}")
    made = {"lab.json": _document(folder, "lab.json")["versions"]}
    if made["lab.json"].get("emulator") == "qemu":
        print("thinwire: the bundle was made with the emulator qemu; this is lx106")


def _session(
    arguments: argparse.Namespace, request: TrialRequest, folder: Path
) -> Session | ProgramSession:
    """Return GDB's session with the board of the request; `folder` is for its files."""

    def of_board(place: Path) -> subprocess.Popen[bytes]:
        words = "-ix", SCRIPT, request.firmware.absolute(), "-ex", f"target remote {place}"
        return subprocess.Popen(_gdb(arguments, *words))

    def of_program(environment: dict[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(_gdb(arguments, "-x", halted.SCRIPT), env=environment)

    if request.packaged:
        return ProgramSession(of_program, request.firmware, request.halt_ps or 0, folder)
    return Session(of_board, folder)


def _run(request: TrialRequest, session: Session | ProgramSession) -> dict[str, bytes] | None:
    """Run the trial with the session; return the files of its bundle, or None if the user has
    ended it."""
    testbed = VirtualTestbed("uml", _EMULATOR, session.beside)
    testbed.prepare(flavours.of(request.facts.server.name))

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        if not session.opened:  # GDB takes the key from then on
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        files, report = runner.results(request, testbed.run(request, 0))
    except TransientHostError as error:
        if session.killed:
            return None
        raise LabError(str(error)) from error
    finally:
        signal.signal(signal.SIGINT, before)
    if session.problem:
        raise LabError(session.problem)
    if not session.reached:
        lasts = f"the board executes nothing at that time or later; it ran {report.virtual_s:g} s"
        raise InputError("--at", f"{(request.halt_ps or 0) / 1e12:g}", lasts, "name an earlier one")
    return files


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    _check(arguments)
    request = _request(arguments)
    with scratch.folder(parent=scratch.plain_parent()) as folder:
        files = _run(request, _session(arguments, request, folder))
    if files is None:
        print("thinwire: the trial was ended; there is no result to compare")
        return 0
    _report(arguments, files)
    if arguments.out:
        target = arguments.out / request.document["study"] / request.document["trial"]
        with suppress(FileNotFoundError):
            if target.samefile(arguments.bundle):
                remedy = "name another folder"
                raise InputError("--out", str(arguments.out), "has the bundle itself", remedy)
        bundle.store(files, target)
        print(f"thinwire: stored {target}")
    return 0
