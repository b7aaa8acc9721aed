"""Do the rooms of this package import downwards only, and does the documentation list them?"""

from __future__ import annotations

import importlib
import re

import pytest

from hil.base.paths import ROOT
from hil.selfcheck import architecture

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_no_room_imports_from_one_above_it() -> None:
    heights = {room: height for height, room in enumerate((*architecture.ROOMS, architecture.ROOF))}
    upward = {
        pair: modules
        for pair, modules in architecture.arrows().items()
        if heights[pair[1]] > heights[pair[0]]
    }
    assert upward == {}


def test_the_picture_is_that_of_the_code() -> None:
    assert f"```mermaid\n{architecture.picture()}\n```" in PAGE


def test_every_room_is_explained() -> None:
    explained = set(re.findall(r"^\| `hil/(\w+)", PAGE, re.M))
    assert {room for room in architecture.ROOMS if (ROOT / "hil" / room).is_dir()} <= explained


@pytest.mark.parametrize("room", architecture.ROOMS)
def test_every_room_states_what_it_imports_and_which_file_to_open(room: str) -> None:
    stated = importlib.import_module(f"hil.{room}").__doc__ or ""
    imported = sorted(to for (of, to) in architecture.arrows() if of == room)
    assert f"\nImports: {', '.join(imported) or 'no other room'}.\n" in stated
    first = stated.partition("\nOpen first: ")[2]
    files = re.findall(r"`([\w.]+)`", first)
    assert files and all((ROOT / "hil" / room / name).is_file() for name in files)


def test_every_file_that_is_to_be_touched_is_there() -> None:
    """A name with a capital letter stands for what is new, as in hil/peers/NAME."""
    named = re.findall(r"`((?:\w[\w-]*/)+[\w.-]+)`", PAGE)
    assert [name for name in named if name == name.lower() and not (ROOT / name).exists()] == []
