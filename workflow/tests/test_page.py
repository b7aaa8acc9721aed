"""The page: does it stand alone, whole and the same from the same tables?"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from hil.tests.support.answers import CLAIMS, TRIALS, make_page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # a blank in its path, as a user's may have
    return make_page(tmp_path_factory.mktemp("a page"))


def _data(page: Path) -> dict:
    text = (page / "data.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.thinwire = ").rstrip().rstrip(";"))


def test_it_needs_nothing_from_elsewhere(page):
    html = (page / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|href)="([^"]*)"', html)
    files = [name for name in named if not name.startswith(("#", "data:"))]
    assert {"data.js", "vega.js", "page.css", "decide.js"} <= set(files)
    for name in files:
        assert (page / name).is_file(), name


def test_text_of_the_data_ends_no_script(page):
    assert "</" not in (page / "data.js").read_text(encoding="utf-8")
    assert _data(page)["claims"]["rows"][0][5] == CLAIMS[0][2]


def test_the_numbers_of_its_text_are_those_of_the_model(page):
    html = (page / "index.html").read_text(encoding="utf-8")
    model = _data(page)["decide"]
    plain = re.sub(r">\s+|\s+<", lambda edge: edge[0].strip(), html)
    assert f"on {len(TRIALS)} trials" in re.sub(r"\s+", " ", html)
    for error in model["errors"]["bytes"]["modes"].values():
        assert f">{100 * error['median']:.1f} % ({100 * error['max']:.1f} %)<" in plain
    assert "`r " not in html


def test_every_bundle_is_there_with_its_digest(page):
    bundles = _data(page)["bundles"]
    sums = page.parent / "raw" / "s" / bundles[0]["trial"] / "SHA256SUMS"
    digest = subprocess.run(["sha256sum", sums], capture_output=True, text=True, check=True)
    assert len(bundles) == len(TRIALS)
    assert bundles[0]["digest"] == digest.stdout.split()[0].removeprefix("\\")


def test_metrics_and_factors_are_those_of_the_tables(page):
    study = _data(page)["studies"]["s"]
    at = study["trials"].index("coap-con_1000_60000_none_1")
    assert study["factors"]["payload_bytes"][at] == "1000"
    assert study["metrics"]["delivered"]["values"][at] == 20
    # equal in all trials: it separates nothing
    assert "wifi_standard" not in study["factors"]


def test_the_same_tables_give_the_same_bytes(page, tmp_path):
    again = make_page(tmp_path)
    for file in sorted(page.iterdir()):
        assert (again / file.name).read_bytes() == file.read_bytes(), file.name
