#!/usr/bin/env python3
"""Write the manual page of `thinwire`, thinwire.1, from the parsers of its commands.

python tools/man.py build/man/thinwire.1 && man build/man/thinwire.1
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from hil import cli
from hil.commands.version import version


def _escaped(text: str) -> str:
    """Return text for roff: no line begins with a control character, hyphens are ASCII."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _verbatim(text: str) -> Iterator[str]:
    yield from (".nf", *(_escaped(line) for line in text.strip("\n").splitlines()), ".fi")


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> Iterator[str]:
    formatter = parser.formatter_class(parser.prog)
    head = formatter._format_action_invocation(action)
    text = formatter._expand_help(action) if action.help else ""
    yield from (".TP", f"\\fB{_escaped(head)}\\fR", _escaped(text) or "\\&")


def _command(parser: argparse.ArgumentParser, depth: int) -> Iterator[str]:
    """Yield a command's section; its subcommands follow."""
    kind = ".SS" if depth == 1 else ".PP\n\\fB"
    yield f"{kind} {_escaped(parser.prog)}" if depth == 1 else f"{kind}{_escaped(parser.prog)}\\fR"
    usage = parser.format_usage().removeprefix("usage: ")
    yield from _verbatim(re.sub(r"\s+", " ", usage).strip())
    if parser.description:
        yield from (".PP", *_verbatim(parser.description))
    inner = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            inner = list(action.choices.values())
        elif action.dest != "help" and action.help != argparse.SUPPRESS:
            yield from _option(parser, action)
    if parser.epilog and depth == 1:
        yield from (".PP", *_verbatim(parser.epilog))
    for one in inner:
        yield from _command(one, depth + 1)


def manual() -> str:
    """Return the manual page in roff's man macros."""
    lines = [
        f'.TH THINWIRE 1 "" "thinwire {version()}" "User Commands"',
        ".SH NAME",
        "thinwire \\- a laboratory for IoT messaging protocols on thin devices",
        ".SH SYNOPSIS",
        ".B thinwire",
        "\\fICOMMAND\\fR [\\fIOPTION\\fR]...",
        ".SH COMMANDS",
    ]
    for group, commands in cli.GROUPS.items():
        lines += [".PP", f"\\fB{_escaped(group)}\\fR"]
        for name, (_, text) in commands.items():
            lines += [".TP", f"\\fB{name}\\fR", _escaped(text)]
    lines.append(".SH OPTIONS OF COMMANDS")
    for name in cli.COMMANDS:
        lines += _command(cli.command_parser(name), 1)
    lines += [".SH EXAMPLES AND EXIT STATUS", *_verbatim(cli.EXAMPLES)]
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> None:
    target = Path(words[0])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(manual(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
