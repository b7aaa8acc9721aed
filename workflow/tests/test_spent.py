"""Does the table of a workflow's time add up its jobs, also those that ran beside each other?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "spent.py"
LOG = """\
Execute 2 jobs...
[Mon Nov 23 17:00:00 2026]
Job 3: Trial matrix/mqtt-qos1_r1
[Mon Nov 23 17:00:01 2026]
Job 4: Measuring matrix, batch 1
[Mon Nov 23 17:00:05 2026]
Finished jobid: 3 (Rule: trial)
1 of 9 steps (11%) done
Job 5: Trial matrix/mqtt-qos1_r2
[Mon Nov 23 17:00:09 2026]
Finished jobid: 5 (Rule: trial)
[Mon Nov 23 17:00:22 2026]
Finished jobid: 4 (Rule: measure)
[Mon Nov 23 17:00:23 2026]
Job 6: Trial ufes/coap-con_r1
"""


def test_jobs_are_added_up_by_rule_and_trials_by_study(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOG, encoding="utf-8")
    run = [sys.executable, str(SCRIPT), str(tmp_path / "log")]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        "work,jobs,seconds,share_pct",
        "measure,1,21,70.0",
        "trials of matrix,2,9,30.0",
    ]


def test_without_a_log_it_says_what_to_do(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(SCRIPT)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "name one, or run the workflow" in run.stderr
