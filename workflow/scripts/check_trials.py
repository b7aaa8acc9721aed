"""check_trials.py OUT --profile P --testbed T [--bundles DIR] STUDY...: did every trial go well?

Reports each trial whose bundle says "failed" or "invalid", with its reason, on standard error. OUT
gets the same list where the studies of all these trials allow it (`allow_failed`); else there is no
OUT, and the exit status is 1.
"""

import argparse
import json
import sys
from pathlib import Path

from hil.base.errors import InputError, ThinwireError, print_error
from hil.design import league
from hil.design.studies import Study, load_study


def wrong(study: Study, profile: str, testbed: str, bundles: Path) -> tuple[int, list[str]]:
    """How many trials the study has, and a line for each that did not go well."""
    trials = study.trials(profile, testbed)
    absent = league.absent(trials)
    lines = []
    for trial in trials:
        if trial.id in absent:
            continue
        path = bundles / study.name / trial.id / "lab.json"
        try:
            lab = json.loads(path.read_text(encoding="utf-8"))
            outcome, reason = lab["outcome"], lab["reason"]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(
                path, "", f"cannot be read ({error})", "run the trial again"
            ) from error
        if outcome != "ok":
            lines.append(f"{study.name}/{trial.id}: {outcome}: {reason}")
    return len(trials) - len(absent), lines


def check(options: argparse.Namespace) -> int:
    listed, forbidden, total = [], set(), 0
    for name in options.studies:
        study = load_study(name)
        count, lines = wrong(study, options.profile, options.testbed, options.bundles)
        total += count
        listed += lines
        if lines and not study.allows_failed:
            forbidden.add(study.name)
    text = "".join(f"{line}\n" for line in listed)
    if listed:
        sys.stderr.write(f"{text}thinwire: {len(listed)} of {total} trials went wrong\n")
    if forbidden:
        raise ThinwireError(
            f"trials of {', '.join(sorted(forbidden))} went wrong (listed above); nothing of them "
            "enters a result. Fix the cause and delete their bundles to run them again, or say "
            "'allow_failed: true' in the study"
        )
    options.out.write_text(text, encoding="utf-8")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("studies", nargs="+", metavar="STUDY")
    parser.add_argument("--profile", required=True)
    parser.add_argument("--testbed", required=True)
    parser.add_argument("--bundles", type=Path, default=Path("data/raw"))
    try:
        return check(parser.parse_args())
    except ThinwireError as error:
        return print_error(error)


if __name__ == "__main__":
    sys.exit(main())
