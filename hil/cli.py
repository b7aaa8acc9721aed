"""The command line `thinwire`: dispatches commands and maps errors to exit statuses."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hil.base.errors import InputError, LabError, ThinwireError, ToolMissing, print_error
from hil.base.paths import ROOT
from hil.commands.parsing import Parser
from hil.system import orphans

# Group -> command -> (module, help). A module is imported when its command is used.
GROUPS = {
    "Answers": {
        "ask": ("hil.commands.ask", "recommend a protocol and mode for a device"),
        "claims": (
            "hil.commands.claims",
            "list claims of published studies with verdict and evidence",
        ),
        "compare": ("hil.commands.compare", "compare two modes, bundles of one study, or captures"),
        "show": ("hil.commands.show", "show what a study found, with its figures"),
        "summary": ("hil.commands.summary", "what 'make paper' built, and what to open next"),
    },
    "Studies and trials": {
        "demo": ("hil.commands.demo", "run two short trials and print what they count"),
        "studies": ("hil.commands.studies", "list studies, their trials and outcomes"),
        "trial": ("hil.commands.trial", "run trials; verify and compare their bundles"),
        "try": ("hil.commands.tries", "try a client of your own, and check what must hold"),
        "hunt": ("hil.commands.hunt", "search for faults that break a client of your own"),
        "debug": ("hil.commands.debug", "run a trial again up to a moment, and open GDB there"),
        "new": ("hil.commands.new", "create a study, protocol, server or client from a template"),
    },
    "Captures and bundles": {
        "analyze": ("hil.commands.analyze", "measure captures"),
        "view": (
            "hil.commands.view",
            "show the time line of a bundle or a capture in the browser",
        ),
        "crate": ("hil.commands.crate", "pack bundles as an RO-Crate, verify or unpack one"),
    },
    "This host": {
        "doctor": (
            "hil.commands.doctor",
            "list what is missing on this host, and how to install it",
        ),
        "lab": ("hil.commands.lab", "build, inspect or enter the virtual machine"),
        "boards": ("hil.commands.boards", "list physical boards, or check them"),
        "cloud": (
            "hil.commands.cloud",
            "run a cloud for devices on this host (MQTT, HTTPS), issue tokens",
        ),
        "nbiot": ("hil.commands.nbiot", "run the NB-IoT simulation"),
        "completion": (
            "hil.commands.completion",
            "print completion code for bash, zsh or fish",
        ),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}

EXAMPLES = """\
Examples:
  thinwire ask --payload 40 --interval 60 --load busy --sleep light
  thinwire trial run smoke
  thinwire analyze data/raw/smoke/coap-con_duration3_r1

'thinwire COMMAND --help' explains a command. Exit status: 0 for success, 1 if a trial or a check
failed, 2 for bad input or a missing tool, 3 if the laboratory or this program failed.
"""


class _Top(Parser):
    """The parser of `thinwire` itself, which lists its commands in groups."""

    def format_help(self) -> str:
        lines = [self.format_usage(), self.description or ""]
        for group, commands in GROUPS.items():
            lines += [
                "",
                f"{group}:",
                *(f"  {name:12}{text}" for name, (_, text) in commands.items()),
            ]
        options = "  --version   print the version and the commit\n  -h, --help  print this help"
        return "\n".join([*lines, "", "Options:", options, "", EXAMPLES])


def complete() -> None:
    """Answer a completion request of the shell and exit; do nothing without such a request."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete  # noqa: PLC0415 - slow to import

        from hil.commands.complete import otherwise  # noqa: PLC0415

        line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))]
        wanted = next((word for word in line.split()[1:] if word in COMMANDS), None)
        argcomplete.autocomplete(_parser(wanted), default_completer=otherwise)


def _parser(wanted: str | None) -> argparse.ArgumentParser:
    """Make the parser. Only the `wanted` command gets its arguments: importing takes time."""
    parser = _Top(
        prog="thinwire",
        usage="thinwire COMMAND [OPTION]...",
        description="A laboratory for IoT messaging protocols on thin devices.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser, prog="thinwire"
    )
    for name, (module, text) in COMMANDS.items():
        sub = commands.add_parser(name, help=text)
        if name == wanted:
            importlib.import_module(module).configure(sub)
    return parser


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of a command, with its arguments."""
    (action,) = (
        one for one in _parser(name)._actions if isinstance(one, argparse._SubParsersAction)
    )
    return action.choices[name]  # type: ignore[no-any-return]


class _Version(argparse.Action):
    """Print the version and exit."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, help="print the version and the commit", **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from hil.commands import version  # noqa: PLC0415 - runs git

        print(f"thinwire {version.version()}{version.commit()}")
        parser.exit()


def _understood(words: list[str]) -> list[str]:
    """Return the command line with `thinwire` and `thinwire help COMMAND` in argparse's form."""
    if not words or words == ["help"]:
        return ["--help"]
    return [*words[1:], "--help"] if words[0] == "help" else words


def check_project(top: Path) -> None:
    """Check that the command runs from a clone of the project, or from a wheel of `make wheel`.

    What 'pip install' makes of a clone lacks the analysis (R), the workflow and the laboratory.

    Raises:
        InputError: `top` has none of the project's files.
    """
    if not (top / "workflow" / "protocols.yaml").is_file():
        raise InputError(
            top,
            "",
            "has the command, but not the project's files",
            "install the wheel of 'make wheel', or run 'make setup' in a clone of the project",
        )


def _unexpected(error: Exception, command: str | None) -> int:
    """Report a fault of this program, or a package of Python that only some commands need; return
    the exit status."""
    from hil.machine.shipped import IN_WHEEL  # noqa: PLC0415 - few commands need it

    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = (name or "").partition(".")[0]
    if package in ("", "hil"):
        traceback.print_exception(error)
        return LabError.status
    remedy = "run it in a clone of the project" if IN_WHEEL else "run 'make setup'"
    tool = f"the Python package '{package}'"
    return print_error(ToolMissing(tool, f"'thinwire {command}'", remedy))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        The exit status: 0 for success, 1 if a trial or a check failed, 2 for bad input or a missing
        tool, 3 if the laboratory or this program failed.
    """
    complete()
    # Treat SIGTERM like SIGINT: the machine of a trial must not outlive this process.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # what nohup(1) sets
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    orphans.end_with_workflow()
    words = _understood(list(sys.argv[1:] if argv is None else argv))
    wanted = next((word for word in words if not word.startswith("-")), None)
    try:
        check_project(ROOT)
        arguments = _parser(wanted).parse_args(words)
        return int(importlib.import_module(COMMANDS[arguments.command][0]).run(arguments))
    except ThinwireError as error:
        return print_error(error)
    except BrokenPipeError:  # the reader closed our output
        return 0
    except KeyboardInterrupt:
        print("thinwire: interrupted", file=sys.stderr)
        return 130
    except (OSError, MemoryError) as error:
        print(f"thinwire: error: this host: {error or 'no memory is left'}", file=sys.stderr)
        return LabError.status
    except Exception as error:  # the outermost boundary: Python's status 1 means a failed trial
        return _unexpected(error, wanted)


if __name__ == "__main__":
    sys.exit(main())
