"""Does `thinwire claims` list, filter, count and explain claims, and report errors?"""

import csv
import json

import pytest

from hil import cli
from hil.base.documents import read_yaml
from hil.base.paths import ROOT
from hil.commands import claims, claims_list

ROWS = [
    {
        "claim": "ufes-a",
        "source": "ufes2018",
        "section": "6.1, Fig. 2",
        "kind": "repetition",
        "statement": "A is longer.",
        "published": "a > b",
        "ours": "2 against 1",
        "unit": "ms",
        "n": "5 and 5",
        "low": "0.8",
        "high": "1.2",
        "rule": "rtt_median_ms: a > b",
        "verdict": "reproduced",
        "study": "matrix",
        "trials": "mqtt-qos1_r1 mqtt-qos1_r2",
        "needs": "wired-peer role-publish",
    },
    {
        "claim": "kuleuven-b",
        "source": "kuleuven2019",
        "kind": "capture read again",
        "verdict": "contradicted",
        "study": "recordings",
        "trials": "coap_1clients",
    },
    {"claim": "aamec-c", "source": "aamec2019", "kind": "consistency", "verdict": "reproduced"},
    {
        "claim": "kuleuven-d",
        "source": "kuleuven2019",
        "kind": "repetition",
        "verdict": "not testable",
        "reason": "reproduced, they say",
        "study": "soak",
    },
]
FULL = {
    "claim": "ufes-f",
    "kind": "repetition",
    "verdict": "contradicted",
    "unit": "ms",
    "statement": "F.",
    "full": "reproduced",
    "full_ours": "7471",
    "full_commit": "0123456789abcdef",
    "counts_as": "reproduced",
}
TRIVIAL = {"claim": "ufes-e", "kind": "repetition", "verdict": "reproduced", "counted": "trivial"}


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "claims.csv", ROWS)


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, claims.Claim._fields, restval="")
        writer.writeheader()
        writer.writerows({"counts_as": row["verdict"], **row} for row in rows)
    return path


def run(capsys, table, *words):
    status = cli.main(["claims", "--table", str(table), *words])
    done = capsys.readouterr()
    return status, done.out + done.err


def test_verdicts_are_counted_for_each_kind_apart(capsys, table):
    assert run(capsys, table, "--counts") == (
        0,
        "2 by repetition: 1 reproduced, 1 not testable\n"
        "1 by capture read again: 1 contradicted\n"
        "1 by consistency: 1 reproduced\n"
        "no full run is recorded (data/full): these verdicts are the build's\n",
    )


def test_the_full_runs_verdict_counts_and_is_beside_this_builds(capsys, tmp_path):
    table = write(tmp_path / "claims.csv", [*ROWS, FULL])
    lines = run(capsys, table, "--counts")[1].splitlines()
    assert lines[0] == "3 by repetition: 2 reproduced, 1 not testable"
    assert lines[-1] == (
        "1 verdicts are the full run's (commit 01234567), of which 1 differ in this build"
    )
    assert run(capsys, table)[1].splitlines()[-2].endswith("F. [full run: reproduced]")
    assert run(capsys, table, "--differ")[1].splitlines()[-1].startswith("1 of 5 claims:")
    text = run(capsys, table, "ufes-f")[1]
    assert "full run   reproduced, 7471 ms (commit 01234567)" in text


def test_repeated_and_trivial_claims_are_counted_apart(capsys, tmp_path):
    table = write(tmp_path / "claims.csv", [*ROWS, TRIVIAL])
    assert run(capsys, table, "--counts")[1].splitlines()[0::3] == [
        "2 by repetition: 1 reproduced, 1 not testable",
        "1 trivial, counted apart: 1 reproduced",
    ]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ([], ["ufes-a", "kuleuven-b", "aamec-c", "kuleuven-d"]),
        (["--verdict", "reproduced"], ["ufes-a", "aamec-c"]),
        (["--source", "kuleuven2019", "--kind", "repetition"], ["kuleuven-d"]),
        (["--verdict", "not-testable"], ["kuleuven-d"]),
        (["--kind", "capture-read-again"], ["kuleuven-b"]),
    ],
)
def test_a_list_is_filtered(capsys, table, words, left):
    status, text = run(capsys, table, *words)
    assert status == 0
    assert [row["claim"] for row in ROWS if row["claim"] in text] == left


def test_a_claim_is_explained_down_to_its_bundles(capsys, table):
    status, text = run(capsys, table, "ufes-a")
    assert status == 0
    for words in (
        "2 against 1 ms",
        "n = 5 and 5 [0.8, 1.2]",
        "needs      wired-peer, role-publish",
        "results/metrics/matrix.csv",
        "data/raw/matrix/mqtt-qos1_r2",
        "data/published/claims/ufes2018.yaml",
        "thinwire trial run matrix --trial mqtt-qos1_r1",
    ):
        assert words in text
    assert "make recordings" in run(capsys, table, "kuleuven-b")[1]
    usual = ",".join(read_yaml(ROOT / "config.yaml")["studies"])
    assert f"studies=[{usual},soak]" in run(capsys, table, "kuleuven-d")[1]


def test_a_claim_of_a_table_of_its_own_is_found_in_its_file():
    known = {"claim": "ufes-table-large-coap", "source": "ufes2018"}
    claim = claims.Claim(**(dict.fromkeys(claims.Claim._fields, "") | known))
    assert "data/published/claims/ufes2018-table1.yaml" in claims.explain(claim)


def test_what_is_not_there_is_named(capsys, table, tmp_path):
    status, text = run(capsys, table, "ufes-b")
    assert (status, "did you mean 'ufes-a'" in text) == (2, True)
    assert run(capsys, table, "--source", "ufes")[0] == 2
    status, text = run(capsys, tmp_path / "none.csv")
    assert (status, "make it: snakemake" in text) == (2, True)
    (tmp_path / "odd.csv").write_text("claim,verdict\na,reproduced\n", encoding="utf-8")
    assert run(capsys, tmp_path / "odd.csv")[0] == 2


def test_machines_get_all_that_is_known(capsys, table):
    _, text = run(capsys, table, "--json", "--source", "ufes2018")
    (claim,) = json.loads(text)
    assert claim["verdict"] == "reproduced"
    assert claim["interval"] == "n = 5 and 5 [0.8, 1.2]"
    assert claim["bundles"].splitlines()[1] == "data/raw/matrix/mqtt-qos1_r2"
    assert claim["remake"].splitlines()[-1].endswith("results/claims.csv")


def test_a_claim_of_kept_results_names_its_table_and_its_program(capsys, tmp_path):
    reason = "measured at commit abc of 2026-11-26, data/measured/ufrn-libraries"
    kept = ROWS[0] | {"study": "ufrn-libraries", "trials": "t1", "reason": reason}
    _, text = run(capsys, write(tmp_path / "claims.csv", [kept]), "ufes-a")
    assert "rows of data/measured/ufrn-libraries/metrics.csv" in text
    assert "build/ufrn/ufrn-libraries/t1" in text
    assert "python -m hil.selfcheck.ufrn\n" in text
    assert "thinwire trial run" not in text  # no file of workflow/studies describes it
    assert "--config" not in text


def test_counts_and_one_claim_for_machines(capsys, table):
    _, text = run(capsys, table, "--json", "--counts")
    assert json.loads(text) == {
        "repetition": {"reproduced": 1, "not testable": 1},
        "capture read again": {"contradicted": 1},
        "consistency": {"reproduced": 1},
        "repeated": {},
        "trivial": {},
    }
    _, text = run(capsys, table, "--json", "ufes-a")
    (claim,) = json.loads(text)
    assert claim["claim"] == "ufes-a" and "matrix/mqtt-qos1_r1" in claim["bundles"]


def test_a_pattern_and_words_choose_and_the_last_line_counts(capsys, table):
    _, text = run(capsys, table, "kuleuven-*")
    assert text.splitlines()[-1] == "2 of 4 claims: 1 contradicted, 1 not testable"
    assert "ufes-a" not in text
    _, text = run(capsys, table, "--text", "A IS")
    assert text.splitlines()[-1] == "1 of 4 claims: 1 reproduced"


def test_machines_get_numbers(capsys, table):
    _, text = run(capsys, table, "--json", "ufes-a")
    assert json.loads(text)[0]["numbers"] == {
        "published": [],
        "ours": [2, 1],
        "n": [5, 5],
        "low": 0.8,
        "high": 1.2,
        "unit": "ms",
    }


def test_statements_are_folded_to_a_terminal(monkeypatch):
    claim = claims.Claim(**{**dict.fromkeys(claims.Claim._fields, ""), **ROWS[0]})
    claim = claim._replace(statement="word " * 40)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for width in (60, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        folded = "\n".join(claims_list.lines([claim])).splitlines()
        assert len(folded) > 2
        assert folded[0].startswith("reproduced") and max(map(len, folded[1:])) < width
