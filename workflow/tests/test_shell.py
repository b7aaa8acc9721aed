"""Does nothing from a configuration, a study or a file name reach a shell unquoted?"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RULES = [ROOT / "workflow/Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]
_COMMAND = re.compile(r'^ +shell:\n((?: +".*"\n)+)', re.MULTILINE)
_FIELD = re.compile(r"(?<!\{)\{([^{}]+)\}")
_NUMBERS = {"threads"}


def unquoted(text):
    """The fields of all shell commands in a file of rules that are put there as they are."""
    fields = [field for command in _COMMAND.findall(text) for field in _FIELD.findall(command)]
    return [field for field in fields if not field.endswith(":q") and field not in _NUMBERS]


@pytest.mark.parametrize("file", RULES, ids=lambda file: file.name)
def test_every_field_of_a_command_is_quoted(file):
    text = file.read_text(encoding="utf-8")
    assert unquoted(text) == []
    assert len(_COMMAND.findall(text)) == text.count(" shell:\n")


def test_a_bare_field_is_found():
    text = 'rule a:\n    shell:\n        "x {input:q} {threads}"\n        " {params.mirror}"\n'
    assert unquoted(text) == ["params.mirror"]
