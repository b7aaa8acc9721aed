"""The device before the peers of other projects: what `make test-peers` runs.

    suite.py [--messages N] [--loss PERCENT ...] [--jobs N] [--boards NAME ...] [--docs]

Runs every case of foreign_cases.py on both boards, reads each capture with tshark, and runs
Autobahn|Testsuite. Results are in build/peers/run: an interrupted run resumes there, and a complete
one is replaced. --docs writes the tables into docs/measured/peers.md. Exit status 1: a promise was
broken, a packet malformed, or a case failed or did not run. Needs root.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

import autobahn
import foreign
import suite_tables

from hil.selfcheck import measured

_ROOT = foreign.HERE.parents[2]
_LX106 = _ROOT / "firmware/boards/lx106/tests/interop_host.py"
_PROGRAMS = {"host": _ROOT / "build/firmware/host/thinwire-host", "lx106": _LX106}
# A board holds 128 messages that wait; at 5 % loss its TCP stands still for longer than they last.
_LOSS = {"host": (0.0, 5.0), "lx106": (1.0,)}
_INTERVAL_MS = {"host": 4, "lx106": 40}
_SERVED = "10.78.0.2"  # interop_host.py's board
_ELF = _ROOT / "build/firmware/lx106/thinwire.elf"
RUN = foreign.BUILD / "run"


def _python(script: str, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(foreign.HERE / script), *map(str, words)]
    environment |= {"THINWIRE_ELF": str(_ELF), "PYTHONPATH": str(_ROOT)}
    environment = os.environ | environment
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)


def _say(text: str) -> None:
    print(f"peers: {text}", file=sys.stderr, flush=True)


def _run_board(board: str, args: argparse.Namespace) -> bool:
    """Run every case on a board, and let tshark judge the captures; False if something is bad."""
    served = {"INTEROP_SERVED": _SERVED} if board == "lx106" else {}
    losses = args.loss or _LOSS[board]
    _say(f"board {board}: loss {losses}, {args.messages} messages a case")
    captures = RUN / "captures" / board
    words = ["--messages", args.messages, "--interval-ms", _INTERVAL_MS[board]]
    words += ["--loss", *losses, "--jobs", args.jobs, "--host", _PROGRAMS[board]]
    words += ["--csv", RUN / f"{board}.csv", "--pcap", captures]
    good = not _python("interop.py", "--foreign", *words, **served).returncode
    _say(f"board {board}: tshark")
    judged = _python("dissect.py", *sorted(captures.glob("*.pcap")))
    (RUN / f"{board}-tshark.csv").write_text(judged.stdout)
    return good and not judged.returncode


def _run_autobahn() -> bool:
    if not (foreign.BUILD / "autobahn.stamp").exists():
        _say(f"Autobahn|Testsuite: left out, no {autobahn.python2()} when it was installed")
        return True
    _say("Autobahn|Testsuite")
    done = _python("autobahn.py", RUN / "autobahn.csv")
    print(done.stdout, end="")
    return not done.returncode


def main() -> int:
    """Run what is not there yet, and show it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--loss", type=float, nargs="+", help="percent, each way")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--boards", nargs="+", choices=_PROGRAMS, default=list(_PROGRAMS))
    parser.add_argument("--docs", action="store_true", help="write the tables into docs")
    args = parser.parse_args()
    whole = RUN / "whole"
    if whole.exists():
        shutil.rmtree(RUN)
    RUN.mkdir(parents=True, exist_ok=True)
    good = [_run_board(board, args) for board in args.boards]
    good.append(_run_autobahn())
    whole.touch()
    if args.docs:
        origin = f"{measured.commit()}, on {measured.machine()}"
        suite_tables.into_docs(_ROOT / "docs", RUN, origin)
    print(suite_tables.summary(RUN))
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
