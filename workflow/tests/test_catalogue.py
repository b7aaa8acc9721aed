"""Does the project have what the catalogue of Snakemake workflows asks for?

The rules are those of the catalogue's own README, "Standardized usage workflows"; its checks by
`snakemake --lint` and `snakefmt` are parts of `make lint`.
"""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RULES = sorted((ROOT / "workflow/rules").glob("*.smk"))


def test_the_files_stand_where_it_looks():
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme and "workflow" in readme
    assert 'include: "workflow/Snakefile"' in (ROOT / "Snakefile").read_text(encoding="utf-8")
    assert (ROOT / "workflow/Snakefile").is_file()
    assert RULES and (ROOT / "LICENSE").is_file()


def test_the_configuration_is_explained_key_by_key():
    text = (ROOT / "config/README.md").read_text(encoding="utf-8")
    keys = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    rows = "\n".join(re.findall(r"^\|(.*?)\|", text, re.M))
    assert [key for key in keys if f"`{key}`" not in rows] == []


def test_it_says_how_software_is_deployed_and_that_there_is_a_report():
    text = (ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8")
    usage = yaml.safe_load(text)["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    ways = usage["software-stack-deployment"]
    assert all(isinstance(way, bool) for way in ways.values()) and any(ways.values())
    assert ways["conda"] == any("conda:" in rules.read_text() for rules in RULES)
    assert usage["report"] is True


@pytest.mark.parametrize("rules", [rules for rules in RULES if "report(" in rules.read_text()])
def test_what_is_reported_has_caption_category_and_label(rules):
    text = rules.read_text(encoding="utf-8")
    count = len(re.findall(r"\breport\(", text))
    assert count == len(re.findall(r"\bcategory=", text)) == text.count("labels=")
    captions = re.findall(r'caption="(.*?)"', text)
    assert len(captions) == count
    for caption in captions:
        assert (rules.parent / caption).is_file(), caption
