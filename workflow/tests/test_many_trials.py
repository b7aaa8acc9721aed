"""What tools/many_trials.py reports: outcomes, new tries, runs that differ, sizes."""

import sys
import tempfile
from pathlib import Path

import pytest

from hil.design.protocols import modes
from hil.design.studies import Study
from hil.tests.bundle.test_difference import BOARD, FRAMES, SERVER, run

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import many_trials as many

EACH = 3
TRIALS = Study(Path("x"), many.study(EACH * len(modes()), ["all"])).trials("quick")


def keep(workdir, trial, outcome="ok", board=BOARD):
    """A trial's bundle, where the workflow has it."""
    with tempfile.TemporaryDirectory(dir=workdir) as aside:
        made = run(
            Path(aside, "run"), board=board, server=SERVER, frames=FRAMES, lab={"outcome": outcome}
        )
        folder = workdir / "data" / "raw" / many.NAME / trial.id
        folder.parent.mkdir(parents=True, exist_ok=True)
        return made.rename(folder)


def test_all_modes_of_all_protocols_with_a_seed_each():
    assert {trial.point["mode"] for trial in TRIALS} == set(modes())
    assert len(TRIALS) == len({trial.seed for trial in TRIALS}) == EACH * len(modes())


@pytest.mark.parametrize("trials", [0, 1001])
def test_numbers_that_cannot_be_are_refused(trials):
    with pytest.raises(many.InputError, match="give 1 to 1000"):
        many.study(trials, ["udp-ack"])


def test_outcomes_are_those_of_the_bundles(tmp_path):
    assert many.outcome(keep(tmp_path, TRIALS[0], "failed")) == "failed"
    assert many.outcome(tmp_path / "none") == "absent"


def test_a_second_run_that_differs_is_told_with_the_event(tmp_path):
    for trial in TRIALS[:4]:
        keep(tmp_path, trial)
    names = many.set_aside(tmp_path, TRIALS[:4], 2)
    assert names == sorted(trial.id for trial in TRIALS[:4:2])
    assert many.set_aside(tmp_path, TRIALS[:4], 2) == names  # after an interruption
    alike, other = TRIALS[0], TRIALS[2]
    keep(tmp_path, alike)
    assert many.differing(tmp_path, names) == [f"{other.id}: no second bundle"]
    keep(tmp_path, other, board=[*BOARD[:2], {"t": 6001, "ev": "acked", "seq": 1}])
    lines = many.differing(tmp_path, names)
    assert len(lines) == 1 and lines[0].startswith(f"{other.id}: ") and "board" in lines[0]


def test_new_tries_are_counted(tmp_path):
    folder = tmp_path / "results" / "logs" / "trials" / many.NAME
    folder.mkdir(parents=True)
    (folder / "one.log").write_text("thinwire: killed; once more (2 of 3)\n" * 2)
    assert many.begun_again(tmp_path, ["one", "none"]) == 2


def test_a_folder_with_something_else_is_refused(tmp_path):
    with pytest.raises(many.InputError, match="holds something else"):
        many.prepare(tmp_path, many.study(19, ["all"]))
