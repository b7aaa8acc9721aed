"""`thinwire completion bash|zsh|fish`: print code with which a shell completes commands, options,
studies, trials and claims (argcomplete)."""

from __future__ import annotations

import argparse

import argcomplete

SHELLS = ("bash", "zsh", "fish")
DESCRIPTION = """\
Print completion code. Run this in a shell, or add it to the shell's start-up file:
  eval "$(thinwire completion bash)"       or zsh
  thinwire completion fish | source
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(arguments: argparse.Namespace) -> int:
    # without defaults: bash offers no files where an argument is none
    print(argcomplete.shellcode(["thinwire"], use_defaults=False, shell=arguments.shell))
    return 0
