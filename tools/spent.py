"""Where the time of a workflow or of tests went: prints `work,jobs,seconds,share_pct`, the
greatest first.

    spent.py [LOG]
    spent.py [--each] build/tests/*.xml

Reads a log of Snakemake, the newest below .snakemake/log where none is named. Work is a rule; of
trials, their study. Or it reads JUnit files, which `make test` writes. Work is a file of tests, or
with --each a test. Seconds are those of its jobs, which run beside each other: with two cores all
jobs together take up to twice the time of the workflow.
"""

import argparse
import csv
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from hil.base.errors import InputError, ThinwireError

_TIME = re.compile(r"^\[(\w{3} \w{3} +\d+ [\d:]{8} \d{4})\]$")
_BEGUN = re.compile(r"^Job (\d+): (.*)$")
_ENDED = re.compile(r"^Finished jobid: (\d+) \(Rule: (\w+)\)$")
_TRIAL = re.compile(r"^Trial (\S+?)/")


def spent(lines: list[str]) -> dict[str, list[float]]:
    """Return the seconds of the jobs of each work, in the order of their end."""
    now = 0.0
    begun: dict[str, tuple[float, str]] = {}
    found: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        if match := _TIME.match(line):
            now = datetime.strptime(match[1], "%a %b %d %H:%M:%S %Y").timestamp()
        elif match := _BEGUN.match(line):
            begun[match[1]] = (now, match[2])
        elif (match := _ENDED.match(line)) and match[1] in begun:
            since, message = begun.pop(match[1])
            trial = _TRIAL.match(message)
            found[f"trials of {trial[1]}" if trial else match[2]].append(now - since)
    return dict(found)


def tested(files: list[Path], each: bool) -> dict[str, list[float]]:
    """Return the seconds of the tests of JUnit files: by file of tests, or each by itself.

    Raises:
        InputError: a file is no JUnit file.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for path in files:
        try:
            root = ET.parse(path).getroot()
            # The class is a module of pytest's; ctest repeats the name of the test there.
            of_pytest = any(suite.get("name") == "pytest" for suite in root.iter("testsuite"))
            for case in root.iter("testcase"):
                place, name = case.attrib["classname"], case.attrib["name"]
                test = f"{place}::{name}" if of_pytest else name
                work = place if of_pytest else f"{path.stem} (ctest)"
                found[test if each else work].append(float(case.get("time", 0)))
        except (OSError, ET.ParseError, KeyError, ValueError) as error:
            raise InputError(path, "", f"is no JUnit file ({error})", "run 'make test'") from None
    return found


def read(names: list[str]) -> list[str]:
    """Return the lines of the log that is named, or of the newest.

    Raises:
        InputError: there is none.
    """
    logs = [Path(name) for name in names] or sorted(Path(".snakemake/log").glob("*.log"))
    try:
        return logs[-1].read_text(encoding="utf-8", errors="replace").splitlines()
    except (IndexError, OSError):
        where = logs[-1] if logs else ".snakemake/log"
        raise InputError(where, "", "there is no log", "name one, or run the workflow") from None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="*", help="a log of Snakemake, or JUnit files")
    parser.add_argument("--each", action="store_true", help="list each test of JUnit files")
    arguments = parser.parse_args()
    files = [Path(name) for name in arguments.file]
    try:
        if files and all(path.suffix == ".xml" for path in files):
            found = tested(files, arguments.each)
        else:
            found = spent(read(arguments.file))
    except ThinwireError as error:
        print(f"spent: {error}", file=sys.stderr)
        return error.status
    total = sum(map(sum, found.values())) or 1.0
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["work", "jobs", "seconds", "share_pct"])
    for work, jobs in sorted(found.items(), key=lambda item: (-sum(item[1]), item[0])):
        table.writerow([work, len(jobs), round(sum(jobs)), round(100 * sum(jobs) / total, 1)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
