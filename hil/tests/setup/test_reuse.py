"""Does REUSE.toml give each file the licence that the project states elsewhere?"""

from __future__ import annotations

import tomllib

from hil.base.documents import read_yaml
from hil.base.paths import ROOT


def test_the_licence_of_all_files_is_that_of_the_citation_and_its_text_is_the_projects() -> None:
    stated = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    usual = next(one for one in stated if one["path"] == "**")["SPDX-License-Identifier"]
    assert usual == read_yaml(ROOT / "CITATION.cff")["license"]
    text = (ROOT / "LICENSES" / f"{usual}.txt").read_bytes()
    assert text == (ROOT / "LICENSE").read_bytes()


def test_sources_that_say_another_licence_are_annotated() -> None:
    """The override must agree with the headers that the kernel's own build wants."""
    stated = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    (kernel,) = (one for one in stated if one.get("precedence") == "override")
    files = {file for pattern in kernel["path"] for file in ROOT.glob(pattern)}
    assert files
    for file in sorted((ROOT / "setup" / "uml").glob("*.[ch]")):
        assert file in files
        assert "GPL-2.0" in file.read_text(encoding="utf-8").splitlines()[0]
