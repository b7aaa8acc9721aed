"""The command line `thinwire`: dispatch, and the one place where errors become exit statuses."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from hil.base.errors import InputError, LabError, ThinwireError
from hil.system import orphans

# Command -> (module, help). A module is imported when its command is used.
COMMANDS = {
    "doctor": ("hil.commands.doctor", "what is missing here, and how to get it"),
    "studies": ("hil.commands.studies", "studies, their trials, their state"),
    "lab": ("hil.commands.lab", "the time-warped machine: build, info, shell"),
    "cloud": ("hil.commands.cloud", "a cloud for devices on this host: MQTT and HTTPS, tokens"),
    "trial": ("hil.commands.trial", "run trials, verify bundles"),
    "analyze": ("hil.commands.analyze", "the metrics of any capture"),
    "crate": ("hil.commands.crate", "bundles as an RO-Crate for a repository, and back"),
    "claims": ("hil.commands.claims", "the verdicts on the five studies, and what each rests on"),
    "compare": ("hil.commands.compare", "bundles of one study, or captures, side by side"),
    "made": ("hil.commands.summary", "what 'make paper' made, and what to open next"),
    "ask": ("hil.commands.ask", "which protocol and mode suits a device, from the trials"),
    "new": ("hil.commands.new", "begin a study, a protocol or a server"),
    "completion": ("hil.commands.completion", "completion of words for bash, zsh and fish"),
    "boards": ("hil.commands.boards", "physical boards: their state, and a test of each"),
    "nbiot": ("hil.commands.nbiot", "the NB-IoT system simulation"),
}


def complete() -> None:
    """Answer a shell that asks for completions, and end; nothing where none asks."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete  # noqa: PLC0415 - others need not wait for it

        line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))]
        wanted = next((word for word in line.split()[1:] if word in COMMANDS), None)
        argcomplete.autocomplete(_parser(wanted))


def _parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser; only the wanted command has its arguments, so that others cost no time."""
    parser = argparse.ArgumentParser(
        prog="thinwire", description="A laboratory for IoT messaging protocols on thin devices."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text)
        if name == wanted:
            importlib.import_module(module).configure(sub)
    return parser


def check_project(top: Path) -> None:
    """InputError unless the command runs from a clone of the project: analysis (R), workflow and
    laboratory are files of the clone, which a wheel does not hold."""
    if not (top / "workflow" / "protocols.yaml").is_file():
        raise InputError(
            top,
            "",
            "holds the command without the project's files",
            "run 'make setup' in a clone of the project, and use its .venv/bin/thinwire",
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0 when done, 1 if a trial failed, 2 for bad input, 3 where
    the laboratory failed, which is not a trial's failure, and neither is a fault of this program.
    """
    complete()
    # As for SIGINT: the machine of a trial must not outlive it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # what nohup(1) sets
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    orphans.end_with_workflow()
    words = list(sys.argv[1:] if argv is None else argv)
    wanted = next((word for word in words if not word.startswith("-")), None)
    try:
        check_project(Path(__file__).resolve().parents[1])
        arguments = _parser(wanted).parse_args(words)
        return int(importlib.import_module(COMMANDS[arguments.command][0]).run(arguments))
    except ThinwireError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return error.status
    except BrokenPipeError:  # the reader of our output has seen enough
        return 0
    except KeyboardInterrupt:
        print("thinwire: interrupted", file=sys.stderr)
        return 130
    except (OSError, MemoryError) as error:
        print(f"thinwire: error: this host: {error or 'no memory is left'}", file=sys.stderr)
        return LabError.status
    except Exception:  # the outermost boundary: Python's own status would say that a trial failed
        traceback.print_exc()
        return LabError.status


if __name__ == "__main__":
    sys.exit(main())
