"""How long Snakemake itself takes with many stored bundles: prints `metric,value,unit`.

    bench_workflow.py BUNDLE [--bundles N] [--batch N]

A copy of the work tree gets a study of N trials. Their bundles are links to the files of BUNDLE,
a folder that `thinwire trial run` made, but for the names in them; the tables of all batches are
those of the first with other names. So nothing is measured here but the workflow.
"""

import argparse
import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import worktree

from hil.bundle import store
from hil.design.trials import Trial

NAME = "thousands"
GOAL = f"results/reports/{NAME}"


def lay_out(workdir: Path, count: int) -> list[Trial]:
    """A work tree with a study of `count` trials."""
    blocks = [{"mode": "mqtt-qos1", "nagle": [False], "duration_s": [30]}]
    study = worktree.study(NAME, {"repetitions": count, "blocks": blocks})
    made = worktree.lay_out(workdir, study)
    schema = workdir / "workflow" / "schemas" / "study.schema.json"
    limit = schema.read_text(encoding="utf-8").replace('"maximum": 1000}', f'"maximum": {count}}}')
    schema.write_text(limit, encoding="utf-8")
    return made.trials("quick")


def store_bundles(workdir: Path, trials: list[Trial], bundle: Path) -> None:
    """Links to one bundle's files, under the names of the trials."""
    real = json.loads((bundle / "trial.json").read_text(encoding="utf-8"))
    kept = {path.name: path for path in shutil.copytree(bundle, workdir / "bundle").iterdir()}
    sums = kept[store.SUMS].read_text(encoding="utf-8")
    for trial in trials:
        folder = workdir / "data" / "raw" / NAME / trial.id
        folder.mkdir(parents=True)
        text = json.dumps(trial.document(real["firmware"], real["versions"])).encode()
        (folder / "trial.json").write_bytes(text)
        line = f"{store.digest(text)}  trial.json"
        (folder / store.SUMS).write_text(
            re.sub(r"^\w+  trial\.json$", line, sums, flags=re.MULTILINE), encoding="utf-8"
        )
        for name, path in kept.items():
            if name not in ("trial.json", store.SUMS):
                os.link(path, folder / name)


def renamed(table: bytes, names: dict[bytes, bytes]) -> bytes:
    """A table with other trials in its second column."""
    header, *rows = table.splitlines(keepends=True)
    parts = (row.split(b",", 2) for row in rows)
    return header + b"".join(b",".join((study, names[name], rest)) for study, name, rest in parts)


def measure(workdir: Path, names: list[str], size: int) -> None:
    """The tables of the first batch, by R, and from them those of all others."""
    files = {"metrics": "0001.csv", "samples": "0001.csv.gz", "factors": "0001.csv"}
    tables = {name: workdir / "results" / name / NAME / file for name, file in files.items()}
    command = ["Rscript", "workflow/scripts/measure.R", "--bundles"]
    command += [f"data/raw/{NAME}/{name}" for name in names[:size]]
    for name, path in tables.items():
        path.parent.mkdir(parents=True)
        command += [f"--{name}", str(path)]
    subprocess.run(command, cwd=workdir, check=True)
    for path in tables.values():
        pack = gzip.compress if path.suffix == ".gz" else bytes
        text = path.read_bytes()
        text = gzip.decompress(text) if path.suffix == ".gz" else text
        for first in range(size, len(names), size):
            pairs = zip(names[:size], names[first : first + size], strict=False)
            other = renamed(text, {old.encode(): new.encode() for old, new in pairs})
            file = path.name.replace("0001", f"{first // size + 1:04}")
            path.with_name(file).write_bytes(pack(other))


def replaced(text: str, names: dict[str, str]) -> str:
    """A text with other names: in paths, and as the one trial of a command line."""
    word = r"(?:(?<=/)|(?<=--trial ))[\w-]+\b(?![\w-])"
    return re.sub(word, lambda found: names.get(found[0], found[0]), text)


def note(workdir: Path, names: list[str], size: int) -> None:
    """What Snakemake noted of the first batch's jobs, for all others: its own way (`--touch`) takes
    time with the square of their number."""
    folder = workdir / ".snakemake" / "metadata"
    noted = {base64.b64decode(path.name).decode(): path.read_text() for path in folder.iterdir()}
    noted = {path: text for path, text in noted.items() if f"/{NAME}/" in path}
    for first in range(size, len(names), size):
        new = dict(zip(names[:size], names[first : first + size], strict=False))
        new["0001"] = f"{first // size + 1:04}"
        for path, text in noted.items():
            key = base64.b64encode(replaced(path, new).encode()).decode()
            (folder / key).write_text(replaced(text, new))
    for pattern in (f"data/raw/{NAME}/*/*", f"results/*/{NAME}/*"):
        now = time.time_ns()
        for path in workdir.glob(pattern):
            os.utime(path, ns=(now, now))


class Clock:
    """Runs Snakemake and prints what it took."""

    def __init__(self, workdir: Path) -> None:
        self.workdir = workdir

    def time(self, metric: str, *words: str, goal: str = GOAL) -> list[str]:
        """The messages of the jobs that a run has or would have."""
        started, before = time.perf_counter(), os.times()
        done = subprocess.run(
            ["snakemake", "--cores", "2", *words, "--", goal],
            cwd=self.workdir,
            capture_output=True,
            text=True,
            check=False,
        )
        wall, after = time.perf_counter() - started, os.times()
        if done.returncode:
            sys.exit(f"{metric}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        cpu = after.children_user + after.children_system
        cpu -= before.children_user + before.children_system
        jobs = re.findall(r"^Job \d+: (.+)$", done.stdout + done.stderr, re.MULTILINE)
        for name, value, unit in (("wall", wall, "s"), ("cpu", cpu, "s"), ("jobs", len(jobs), "1")):
            print(f"{metric}_{name},{value:.1f},{unit}", flush=True)
        return jobs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--bundles", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=20, help="as workflow/rules/common.smk has it")
    options = parser.parse_args()
    if options.bundles % options.batch:
        sys.exit(f"--bundles must be a multiple of {options.batch}")
    with tempfile.TemporaryDirectory(dir=options.bundle.resolve().parent) as folder:
        workdir = Path(folder, "place")
        trials = lay_out(workdir, options.bundles)
        clock = Clock(workdir)
        clock.time("all_to_do", "--dry-run")
        store_bundles(workdir, trials, options.bundle)
        names = sorted(trial.id for trial in trials)
        measure(workdir, names, options.batch)
        clock.time("batch_noted", "--touch", goal=f"results/metrics/{NAME}/0001.csv")
        note(workdir, names, options.batch)
        clock.time("collected", goal=f"results/metrics/{NAME}.csv")
        (workdir / GOAL).mkdir(parents=True)
        (workdir / GOAL / ".snakemake_timestamp").touch()
        clock.time("nothing_to_do", "--dry-run")
        for metric, changed in (
            ("figure", "workflow/R/report/R/theme.R"),
            ("bundle", f"data/raw/{NAME}/{trials[0].id}/SHA256SUMS"),
        ):
            path = workdir / changed
            path.write_bytes(path.read_bytes() + b"\n")
            clock.time(f"{metric}_changed", "--dry-run")
        clock.time("figures_alone", "--dry-run", "--allowed-rules", "report")
    return 0


if __name__ == "__main__":
    sys.exit(main())
