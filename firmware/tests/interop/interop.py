"""Run the host board against real peers over a lossy link, and count what arrives.

    interop.py [--messages N] [--loss PERCENT ...] [--foreign] [--only NAME ...] [--host PROGRAM]
               [--pcap DIR] [--csv FILE] [--jobs N]

One CSV row a case and link: what the link does to packets, in percent, then sent, acked, failed,
delivered, duplicated, lost and the verdict. It holds the guarantee of the mode against the counts:
`once` nothing lost, nothing doubled; `least` nothing lost; `none` no guarantee. Cases that FILE has
already are not run again. Needs root (namespaces, which end with the run, and with them every
process in it). Exit status 1: a guarantee was broken, or a case did not run.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import shutil
import sys
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path

import foreign
from cases import CASES
from foreign_cases import FOREIGN_CASES
from lossy_link import private_namespaces
from trial import FIELDS, KEY, Link, Settings, run_case

_HOST = Path(__file__).resolve().parents[3] / "build/firmware/host/thinwire-host"


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--interval-ms", type=int, default=10)
    parser.add_argument("--loss", type=float, nargs="+", default=[0.0, 1.0, 5.0])
    parser.add_argument("--duplication", type=float, default=0.0)
    parser.add_argument("--reordering", type=float, default=0.0)
    parser.add_argument("--foreign", action="store_true", help="the peers of other projects")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases, in place of all")
    parser.add_argument("--host", type=Path, default=_HOST)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pcap", type=Path, help="folder for one capture a case")
    parser.add_argument(
        "--csv", type=Path, help="file for the rows; those it has are not run again"
    )
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    args = parser.parse_args()
    if args.foreign and not foreign.installed():
        parser.error(f"{foreign.BUILD}: no foreign peers; run setup/peers/install")
    cases = FOREIGN_CASES if args.foreign else CASES
    if unknown := set(args.only or ()) - {case.name for case in cases}:
        parser.error(f"--only: no such case: {' '.join(sorted(unknown))}")
    args.cases = [case for case in cases if not args.only or case.name in args.only]
    for case in [case for case in args.cases if case.needs and not shutil.which(case.needs)]:
        print(f"{case.name}: skipped, {case.needs} is not on PATH", file=sys.stderr)
        args.cases.remove(case)
    if not args.host.exists():
        parser.error(f"{args.host}: missing; build firmware/boards/host")
    if os.geteuid():
        parser.error("namespaces need root; run it by sudo")
    return args


def main() -> int:
    """Run the cases that are not in the table yet, and add them."""
    args = parse()
    private_namespaces()
    for folder in filter(None, (args.pcap, args.csv and args.csv.parent)):
        folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(args.messages, args.interval_ms, args.host, args.seed, args.pcap)
    old = args.csv.exists() if args.csv else False
    done = set()
    if old:
        with args.csv.open(newline="") as file:
            done = {tuple(row[key] for key in KEY) for row in csv.DictReader(file)}
    bad = False
    with (
        args.csv.open("a", newline="") if args.csv else sys.stdout as file,
        ProcessPoolExecutor(args.jobs) as pool,
    ):
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not old:
            writer.writeheader()
        futures: dict[Future[dict[str, object]], str] = {}
        for loss, case in itertools.product(args.loss, args.cases):
            link = Link(loss, args.duplication, args.reordering)
            key = link.key(case, settings)
            if key not in done:
                futures[pool.submit(run_case, case, link, settings)] = f"{case.name} at {loss:g} %"
        for future in as_completed(futures):
            try:
                row = future.result()
            except Exception as error:  # one case must not end the others
                print(f"{futures[future]}: {type(error).__name__}: {error}", file=sys.stderr)
                bad = True
                continue
            writer.writerow(row)
            file.flush()
            bad |= row["verdict"] == "broken"
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
