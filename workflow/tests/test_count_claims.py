"""The last line of `make paper`: how many claims got which verdict."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "count_claims.py"


def count(path):
    done = subprocess.run(
        [sys.executable, SCRIPT, path], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_each_verdict_is_counted(tmp_path):
    rows = ["a,reproduced,", 'b,reproduced,"x\ny"', "c,contradicted,", "d,not testable,reproduced"]
    path = tmp_path / "claims.csv"
    path.write_text("\n".join(["claim,verdict,reason", *rows, ""]), encoding="utf-8")
    words = "4 claims: 2 reproduced, 0 not reproduced, 1 contradicted, 1 not testable"
    assert count(path) == (0, f"thinwire: {words} ({path})\n")


def test_a_missing_table_is_an_error(tmp_path):
    status, words = count(tmp_path / "claims.csv")
    assert status == 2
    assert "make it first" in words
