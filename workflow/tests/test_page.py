"""The page: does it stand alone, whole and the same from the same tables?"""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.tests.support.answers import CLAIMS, TRIALS, make_page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # a blank in its path, as a user's may have
    return make_page(tmp_path_factory.mktemp("a page"))


def _data(page: Path) -> dict:
    text = (page / "index.html").read_text(encoding="utf-8")
    begin = text.index("window.thinwire = ") + len("window.thinwire = ")
    return json.loads(text[begin : text.index("\n</script>", begin)].rstrip(";"))


def test_it_is_one_file_that_needs_nothing_from_elsewhere(page):
    assert [file.name for file in page.iterdir()] == ["index.html"]
    html = (page / "index.html").read_text(encoding="utf-8")
    text = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert text.count("<script") == 0
    named = set(re.findall(r'(?:src|href)="([^"#]+)["#]', text)) - {"data:,"}
    # what a build has beside the folder of the page
    assert named == {"../paper.pdf", "../claims.csv"}


def test_text_of_the_data_ends_no_script(page):
    assert _data(page)["claims"]["rows"][0][5] == CLAIMS[0][2]


def test_it_names_its_build_and_the_trials(page):
    html = (page / "index.html").read_text(encoding="utf-8")
    assert f"{len(TRIALS)} trials of an emulated ESP8266" in html
    assert "commit abc of 2026-01-02" in html


def test_the_glossary_is_that_of_the_documentation(page):
    html = (page / "index.html").read_text(encoding="utf-8")
    terms = re.findall(r"<dt>(.*?)</dt>", html[html.index('<section id="glossary">') :])
    source = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    assert len(terms) == len(re.findall(r"^\| \*\*", source, re.M)) > 50


def test_a_metric_has_its_definition(page):
    definitions = _data(page)["definitions"]
    assert definitions["response_mean_ms"] == "request to response"
    assert len(definitions) > 100


def test_every_verdict_has_its_meaning(page):
    data = _data(page)
    column = data["claims"]["columns"].index("verdict")
    assert {row[column] for row in data["claims"]["rows"]} <= set(data["verdicts"])
    assert data["verdicts"]["too few runs"] == "fewer than five"


def test_libraries_wake_ups_and_hunts_are_those_that_were_recorded(page):
    html = (page / "index.html").read_text(encoding="utf-8")
    league = html[html.index('<section id="league">') :].split("</section>")[0]
    with (ROOT / "docs/measured/league.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert f"{int(row['captured_bytes']):,} bytes" in league, row["trial"]
    assert "beside other work" in league
    waking = html[html.index('<section id="waking"') :].split("</section>")[0]
    for name in ("security-wakings", "hunts"):
        title = (ROOT / f"docs/measured/{name}.md").read_text(encoding="utf-8").splitlines()[0]
        assert title.removeprefix("# ") in waking


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
