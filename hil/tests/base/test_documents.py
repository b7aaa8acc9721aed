"""Is a document with one meaning accepted, and one with none or two refused with an error?"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.base.documents import (
    DEEPEST,
    LONGEST,
    Malformed,
    parse_json,
    parse_yaml,
    read_json,
    read_lines,
    read_text,
)
from hil.base.errors import InputError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes", {"a": "yes"}),
        ("a: off", {"a": "off"}),
        ("a: true", {"a": True}),
        ("a: 12:30", {"a": "12:30"}),
        ("a: 2020-01-01", {"a": "2020-01-01"}),
        ("a: 30", {"a": 30}),
        ("a: -1", {"a": -1}),
        ("a: 010", {"a": "010"}),
        ("a: 0x1f", {"a": "0x1f"}),
        ("a: 1_000", {"a": "1_000"}),
        ("a: 5.5", {"a": 5.5}),
        ("a: 1e3", {"a": 1000.0}),
        ("a: .nan", {"a": ".nan"}),
        ("a: .inf", {"a": ".inf"}),
        ("a: ~", {"a": None}),
        ("a:", {"a": None}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
    ],
)
def test_yaml_means_one_thing(text: str, value: Any) -> None:
    found = parse_yaml(text)
    assert found == value
    assert [type(each) for each in found.values()] == [type(each) for each in value.values()]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\na: 2", "line 2: key 'a' stands twice"),
        ("a: {b: 1, b: 1}", "key 'b' stands twice"),
        ("a: &x [1]\nb: *x", "line 2: has an alias"),
        ("1: a", "line 1: a key is no text"),
        ("yes: a\n? [b]\n: c", "line 2: a key is no text"),
        ("a: 1e999", "the number 1e999 is not finite"),
        ("[" * 40 + "]" * 40, f"is deeper than {DEEPEST} levels"),
        ("a: !!python/object:os.system x", "could not determine a constructor"),
        ("a: [1", "line 2: "),
        ("a: \0", "unacceptable character"),
    ],
)
def test_yaml_that_means_nothing_or_two_things_is_refused(text: str, problem: str) -> None:
    with pytest.raises(Malformed, match=problem):
        parse_yaml(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "a": 2}', "key 'a' stands twice"),
        ('{"a": NaN}', "NaN is not finite"),
        ('{"a": -Infinity}', "-Infinity is not finite"),
        ('{"a": 1e999}', "1e999 is not finite"),
        ("[" * 100 + "]" * 100, f"deeper than {DEEPEST} levels"),
        ("[" * 100_000 + "]" * 100_000, f"deeper than {DEEPEST} levels"),
        ("1" * 5000, "limit"),
        (" " * (LONGEST + 1), f"longer than {LONGEST} bytes"),
        ("{", "Expecting property name"),
    ],
    ids=range(9),
)
def test_json_that_means_nothing_or_two_things_is_refused(text: str, problem: str) -> None:
    with pytest.raises(Malformed, match=problem):
        parse_json(text)


@given(VALUES)
def test_what_json_can_say_is_read_as_it_is(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value


@given(st.text(st.sampled_from("ab:-[]{}&*!'\"#%,?|> \n\t0x.\\~<"), max_size=40))
def test_no_yaml_text_ends_otherwise(text: str) -> None:
    try:
        parse_yaml(text)
    except Malformed as error:
        assert str(error)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero"), tmp_path / "none"):
        with pytest.raises(InputError, match="is no file"):
            read_text(path)
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path / "latin")
    (tmp_path / "long").write_bytes(b" " * (LONGEST + 1))
    with pytest.raises(InputError, match="is longer than"):
        read_text(tmp_path / "long")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(InputError, match="not a JSON object; make it again"):
        read_json(tmp_path / "list.json", "make it again")


def test_a_damaged_line_is_named_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\n[2]\n{"a": NaN}\n', encoding="utf-8")
    lines = read_lines(path)
    assert [next(lines), next(lines)] == [({"a": 1}, '{"a": 1}'), ([2], "[2]")]
    with pytest.raises(Malformed, match=r"line 3: is not JSON \(the number NaN"):
        next(lines)
