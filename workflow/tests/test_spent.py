"""Does the table of the time of a workflow, or of tests, add up its jobs?"""

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


PYTEST = """\
<testsuites><testsuite name="pytest">
<testcase classname="hil.tests.lab.test_lab" name="test_a[mqtt]" time="12.6"/>
<testcase classname="hil.tests.lab.test_lab" name="test_b" time="3.4"/>
</testsuite></testsuites>
"""
CTEST = """\
<testsuite name="(empty)"><testcase name="test_mqtt" classname="test_mqtt" time="4"/></testsuite>
"""


def of_tests(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "lab.xml").write_text(PYTEST, encoding="utf-8")
    (folder / "device.xml").write_text(CTEST, encoding="utf-8")
    run = [sys.executable, str(SCRIPT), *words, "device.xml", "lab.xml"]
    return subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)


def test_tests_are_added_up_by_file(tmp_path: Path) -> None:
    assert of_tests(tmp_path).stdout.splitlines()[1:] == [
        "hil.tests.lab.test_lab,2,16,80.0",
        "device (ctest),1,4,20.0",
    ]


def test_each_test_is_listed_by_itself(tmp_path: Path) -> None:
    assert of_tests(tmp_path, "--each").stdout.splitlines()[1:] == [
        "hil.tests.lab.test_lab::test_a[mqtt],1,13,63.0",
        "test_mqtt,1,4,20.0",
        "hil.tests.lab.test_lab::test_b,1,3,17.0",
    ]


def test_what_is_no_list_of_tests_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<x", encoding="utf-8")
    run = [sys.executable, str(SCRIPT), str(tmp_path / "a.xml")]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "a.xml: is no JUnit file" in done.stderr
