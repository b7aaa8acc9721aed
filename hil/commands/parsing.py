"""The parser of every command: defaults in the help, and errors that name the nearest word."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn


def _nearest(word: str, known: Iterable[str]) -> str:
    """Return the nearest of the known words as a question; empty if none is near."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{close[0]}'?" if close else ""


class Help(argparse.RawDescriptionHelpFormatter):
    """Help that keeps the lines of a description, and states the default of each option."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text, default = action.help, action.default
        if text is None or "default" in text or not action.option_strings:
            return text
        if default is None or isinstance(default, bool) or default in ("", [], argparse.SUPPRESS):
            return text
        words = default if isinstance(default, list) else [default]
        shown = (f"{word:g}" if isinstance(word, float) else str(word) for word in words)
        return f"{text} (default: {' '.join(shown).replace('%', '%%')})"


class _Subcommands(argparse._SubParsersAction):
    """Subcommands, each of which has its line in the list as its description."""

    def add_parser(self, name: str, **settings: Any) -> Any:
        settings.setdefault("description", settings.get("help"))
        return super().add_parser(name, **settings)


class Parser(argparse.ArgumentParser):
    """A parser that reports unknown options itself, also as a subcommand. (argparse leaves them to
    the topmost parser, whose usage says nothing about them.)"""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False} | settings)
        self.register("action", "parsers", _Subcommands)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = _nearest(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        names = [str(one) for one in action.choices]
        near = _nearest(str(value), names) or f"; use {', '.join(names)}"
        raise argparse.ArgumentError(action, f"there is no '{value}'{near}")

    def error(self, message: str) -> NoReturn:
        """Print the usage, and the error with the command that explains it; exit with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}; see '{self.prog} --help'\n")
