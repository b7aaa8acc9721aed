"""Is an unchanged image found without reading its inputs, and a changed input detected?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.machine import closure, image


class Looked(Exception):
    """The contents of the image were collected."""


@pytest.fixture
def current(monkeypatch: pytest.MonkeyPatch) -> Iterator[image.Image]:
    """The image that is built now; collecting its contents afterwards raises `Looked`."""

    def collect(*arguments: object) -> None:
        raise Looked

    made = image.build()
    with monkeypatch.context() as patched:
        patched.setattr(closure, "collect", collect)
        yield made


def test_an_unchanged_image_is_found_at_once(current: image.Image) -> None:
    assert image.build() == current


def test_a_touched_input_is_looked_at(
    current: image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched, before = Path(closure.__file__), image.stamp
    later = {touched: [touched.stat().st_size, 0, 0]}
    monkeypatch.setattr(image, "stamp", lambda path: later.get(Path(path)) or before(path))
    with pytest.raises(Looked):
        image.build()


def test_another_path_of_programs_is_looked_at(
    current: image.Image, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(Looked):
        image.build()


def test_a_folder_of_programs_that_is_named_twice_changes_nothing(
    current: image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"].split(os.pathsep)[0], prepend=os.pathsep)
    assert image.build() == current


def test_two_shells_in_turns_find_their_image_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = os.environ["PATH"]
    second = os.pathsep.join([first, str(tmp_path)])
    for path in (first, second):
        monkeypatch.setenv("PATH", path)
        made = image.build()
    monkeypatch.delattr(closure, "collect")
    for path in (first, second):
        monkeypatch.setenv("PATH", path)
        assert image.build() == made
