"""Does every command explain itself: help, defaults, examples, versions, and nearest words?"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator

import pytest

from hil import cli
from hil.base.documents import read_yaml
from hil.base.paths import ROOT
from hil.design.studies import load_study


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _parsers(one)


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    done = capsys.readouterr()
    return int(ended.value.code or 0), done.out, done.err


@pytest.mark.parametrize("words", [(), ("help",), ("--help",)])
def test_without_a_command_the_help_lists_all(capsys, words):
    status, out, err = _said(capsys, *words)
    assert (status, err) == (0, "")
    assert set(re.findall(r"^  ([a-z]+) +[a-z]", out, re.MULTILINE)) >= set(cli.COMMANDS)


def test_help_explains_a_command(capsys):
    status, out, _ = _said(capsys, "help", "ask")
    assert (status, out.startswith("usage: thinwire ask ")) == (0, True)


def test_the_version_is_that_of_all_files_and_names_the_commit(capsys):
    status, out, _ = _said(capsys, "--version")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = read_yaml(ROOT / "CITATION.cff")["version"]
    words = ["git", "-C", ROOT, "log", "-1", "--abbrev=12", "--format=%h of %cs"]
    head = subprocess.run(words, capture_output=True, check=True).stdout.decode().strip()
    assert status == 0
    assert re.fullmatch(rf"thinwire \S+ \(commit {head}(, modified)?\)\n", out)
    assert project["version"] == cited == out.split()[1]
    layers = sorted(ROOT.glob("workflow/R/*/DESCRIPTION"))
    versions = {
        re.search(r"^Version: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)[1]
        for path in layers
    }
    assert versions == {cited}


@pytest.mark.parametrize(
    ("words", "usage", "error"),
    [
        (("trail",), "thinwire COMMAND", "there is no 'trail'; did you mean 'trial'?"),
        (("trial", "runn"), "thinwire trial", "there is no 'runn'; did you mean 'run'?"),
        (
            ("analyze", "x", "--devise", "1"),
            "thinwire analyze",
            "unrecognized arguments: --devise 1; did you mean '--device'?",
        ),
        (  # not that the option is missing, which is why it was written
            ("ask", "--paylod", "40", "--interval=1"),
            "thinwire ask",
            "unrecognized arguments: --paylod; did you mean '--payload'?",
        ),
        (
            ("trial", "run", "--nosuch", "--", "--neither"),
            "thinwire trial run",
            "unrecognized arguments: --nosuch; did you mean '--out'?",
        ),
        (
            ("crate", "make", "--", "--out"),
            "thinwire crate make",
            "the following arguments are required: --out; see 'thinwire crate make --help'",
        ),
        (
            ("ask", "--payload=1", "--interval=1", "--sleep=lite"),
            "thinwire ask",
            "there is no 'lite'; did you mean 'light'?; see 'thinwire ask --help'",
        ),
    ],
)
def test_a_wrong_word_gets_the_usage_of_its_command_and_the_nearest(capsys, words, usage, error):
    status, out, err = _said(capsys, *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"usage: {usage}")
    assert error in err.splitlines()[-1]


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_every_option_has_help_and_every_command_an_example_that_parses(command):
    for parser in _parsers(cli.command_parser(command)):
        for action in parser._actions:
            assert action.help or isinstance(action, argparse._SubParsersAction), (
                parser.prog,
                action.dest,
            )
    text = cli.command_parser(command).format_help()
    lines = re.findall(r"^ +(thinwire [a-z].*?)(?:   .*)?$", text, re.MULTILINE)
    assert lines, "no example"
    for line in lines:
        words = shlex.split(line.partition("|")[0])[1:]
        assert cli._parser(words[0]).parse_args(words).command == words[0]
        for study, trial in re.findall(r"data/raw/([\w-]+)/([\w.-]+_r\d+)", line):
            assert trial in {one.id for one in load_study(study).trials("quick")}


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_help_states_each_default(command):
    """A command that sets a formatter of its own would lose them."""
    for parser in _parsers(cli.command_parser(command)):
        text = " ".join(parser.format_help().split())
        for action in parser._actions:
            default = action.default
            if action.option_strings and default not in (None, "", [], argparse.SUPPRESS):
                shown = f"{default:g}" if isinstance(default, float) else f"{default}"
                flag = isinstance(default, bool)
                own = flag or isinstance(default, list) or "default" in (action.help or "")
                assert own or shown in text, action.option_strings


def test_help_states_the_default_once(capsys):
    _, out, _ = _said(capsys, "ask", "--help")
    for option, default in (("--battery", "1000"), ("--sleep", "awake"), ("--by", "battery")):
        (text,) = re.findall(rf"^  {option} (?:.|\n(?!  -))*", out, re.MULTILINE)
        assert re.findall(r"\(default:\s+([^)]*)\)", text) == [default]


def test_the_manual_page_has_every_option_and_is_valid_roff(tmp_path):
    page = tmp_path / "thinwire.1"
    subprocess.run([sys.executable, "tools/man.py", page], cwd=ROOT, check=True)
    text = page.read_text(encoding="utf-8")
    for command in cli.COMMANDS:
        assert f".SS thinwire {command}\n" in text
        for parser in _parsers(cli.command_parser(command)):
            for action in parser._actions:
                for option in action.option_strings[-1:]:
                    assert option == "--help" or option.replace("-", "\\-") in text
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, check=True
        )
        assert done.stderr == b""
