"""The parser of every command: defaults in the help, and errors that name the nearest word."""

from __future__ import annotations

import argparse
import difflib
import itertools
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn


def _nearest(word: str, known: Iterable[str]) -> str:
    """Return the nearest of the known words as a question; empty if none is near."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{close[0]}'?" if close else ""


class _Required(Exception):
    """Arguments are missing that a command requires."""


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
        try:
            found, unknown = super().parse_known_args(args, namespace)
        except _Required as error:
            # A misspelt option is why a required one is missing; argparse looks for it too late.
            self._refuse_unknown(self._misspelt(sys.argv[1:] if args is None else args))
            self._end(str(error))
        self._refuse_unknown(unknown)
        return found, unknown

    def _refuse_unknown(self, words: Sequence[str]) -> None:
        if words:
            near = _nearest(words[0].partition("=")[0], self._option_string_actions)
            self._end(f"unrecognized arguments: {' '.join(words)}{near}")

    def _misspelt(self, words: Sequence[str]) -> list[str]:
        """Return the words that look like options, but are none of this parser's."""
        before = itertools.takewhile(lambda word: word != "--", words)
        options = [word for word in before if word.startswith("--")]
        return [
            word for word in options if word.partition("=")[0] not in self._option_string_actions
        ]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        names = [str(one) for one in action.choices]
        near = _nearest(str(value), names) or f"; use {', '.join(names)}"
        raise argparse.ArgumentError(action, f"there is no '{value}'{near}")

    def error(self, message: str) -> NoReturn:
        """End as `_end` does; where arguments are missing, after a look for a misspelt one."""
        if message.startswith("the following arguments are required"):
            raise _Required(message)
        self._end(message)

    def _end(self, message: str) -> NoReturn:
        """Print the usage, and the error with the command that explains it; exit with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}; see '{self.prog} --help'\n")
