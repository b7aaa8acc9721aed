"""Are the numbers and the picture of the README those of the results?

They come from what is shipped (data/shipped); that is compared with a build where there is one.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import yaml

from hil.base.paths import ROOT
from hil.commands import ask, ranking, recommend
from hil.commands.answer import UNITS, number
from hil.commands.recommend import Question

spec = importlib.util.spec_from_file_location("readme", ROOT / "tools/readme.py")
readme = importlib.util.module_from_spec(spec)
spec.loader.exec_module(readme)

RESULTS = ROOT / "results"
needs_results = pytest.mark.skipif(
    not (RESULTS / "decide.json").is_file() or not (RESULTS / "metrics/matrix.csv").is_file(),
    reason="needs results/decide.json and results/metrics/matrix.csv: make paper",
)
README = (ROOT / "README.md").read_text(encoding="utf-8")
# The question of the README's picture, and modes that it draws.
SENSOR = Question(40, 60, "web-video-bulk-60", "light", "at-least-once")


def test_the_table_is_that_of_the_shipped_costs():
    assert readme.written(README) == README


def test_another_cost_gives_another_table(tmp_path):
    costs = tmp_path / "costs.csv"
    text = readme.COSTS.read_text(encoding="utf-8")
    costs.write_text(re.sub(r"^coap-con,[^,]*", "coap-con,211", text, flags=re.M), encoding="utf-8")
    assert "| CoAP CON | 211 |" in readme.written(README, costs)


@needs_results
def test_the_shipped_costs_are_those_of_the_build(tmp_path):
    shipped = json.loads(ask.SHIPPED.read_text(encoding="utf-8"))
    if shipped["digest"] != json.loads((RESULTS / "decide.json").read_text())["digest"]:
        pytest.skip("this build is another one than the shipped one")
    readme.make_costs(RESULTS, tmp_path / "costs.csv")
    assert (tmp_path / "costs.csv").read_bytes() == readme.COSTS.read_bytes()


def test_the_flash_of_the_table_is_that_of_the_shipped_models():
    modes = {mode["name"]: mode for mode in recommend.read(ask.SHIPPED)["modes"]}
    with readme.COSTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["flash_bytes"]:  # an alias of MQTT 5 has no image of its own
                assert float(row["flash_bytes"]) == modes[row["mode"]]["flash"], row["mode"]


def test_the_picture_has_the_answers_of_the_terminal():
    assert "(docs/answer.svg)" in README
    root = ElementTree.parse(ROOT / "docs/answer.svg").getroot()
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    rows = ranking.rank(recommend.read(ask.SHIPPED), SENSOR)
    assert len(rows) > 5
    for row in rows:
        value = row.values["battery"]
        assert row.label + (" (baseline)" if row.baseline else "") in texts
        spread = f"({number(value.low)} to {number(value.high)})"
        assert f"{number(value.value)} {UNITS['battery']} {spread}" in texts, row.label


def test_the_trials_of_the_build_are_counted():
    studies = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["studies"]
    command = [sys.executable, "-m", "hil.cli", "studies", *studies, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    planned = sum(study["planned"] for study in json.loads(done.stdout))
    assert f"`make paper` runs {planned} trials" in README


def test_the_time_of_the_build_is_the_measured_one():
    page = (ROOT / "docs/measured/make-paper.md").read_text(encoding="utf-8")
    trials, minutes, seconds = re.search(r"^(\d+) trials, (\d+) min (\d+) s", page, re.M).groups()
    minutes = round(int(minutes) + int(seconds) / 60 + 0.5)
    assert re.search(rf"{trials} trials in {minutes} min", README)
