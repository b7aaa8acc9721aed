"""`thinwire completion bash|zsh|fish`: what a shell needs to complete commands, options, studies,
trials and claims (argcomplete)."""

from __future__ import annotations

import argparse

import argcomplete

SHELLS = ("bash", "zsh", "fish")
DESCRIPTION = """\
Print what lets a shell complete thinwire's words. For this shell, or at the end of its start file:
  eval "$(thinwire completion bash)"       also: zsh
  thinwire completion fish | source
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = DESCRIPTION
    parser.add_argument("shell", choices=SHELLS)


def run(arguments: argparse.Namespace) -> int:
    print(argcomplete.shellcode(["thinwire"], shell=arguments.shell))
    return 0
