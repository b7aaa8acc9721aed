"""What a run of the full designs gave, kept as data/full: `thinwire claims --record`.

claims.csv has the verdicts, studies.csv the commit, date, number of trials and digest of each
study's bundles. Only a study of which every trial of the profile `full` is stored and was measured
is recorded. A study that is not keeps the rows of the run that was recorded before.
"""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands.claims_list import Claim
from hil.design.studies import Study, available, load_study

FOLDER = ROOT / "data" / "full"
# All columns of a build's table but those that the record itself gives it.
CLAIMS = tuple(
    name for name in Claim._fields if name != "counts_as" and not name.startswith("full")
)
STUDIES = ("study", "profile", "commit", "date", "trials", "digest")
_PROFILE = "full"
_NBIOT = "nbiot"


def commit(top: Path = ROOT) -> tuple[str, str]:
    """Return the commit of the checkout and its date.

    Raises:
        InputError: it is no checkout, or its files differ from the commit.
    """
    git = ["git", "-C", str(top)]
    try:
        shown = _output([*git, "log", "-1", "--format=%H %cs"])
        changed = _output(
            [*git, "status", "--porcelain", "-uno", "--", ".", ":!docs", ":!data/full"]
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(
            top, "", f"has no commit ({error})", "record in a checkout of the repository"
        ) from error
    if changed:
        raise InputError(
            top, changed.split()[1], "differs from the commit", "commit, run again, then record"
        )
    name, date = shown.split()
    return name, date


def _output(words: list[str]) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def missing(study: Study, data: Path, results: Path) -> str:
    """Return why a study's results are not those of its full design; empty if they are."""
    wanted = {trial.id for trial in study.trials(_PROFILE)}
    stored = {trial for trial in wanted if _is_stored(data / study.name / trial, study)}
    if stored != wanted:
        return f"{len(wanted - stored)} of {len(wanted)} trials of the full design are not stored"
    measured = {row["trial"] for row in _rows(results / "factors" / f"{study.name}.csv")}
    if measured != wanted:
        return "its results are those of another profile"
    return ""


def _is_stored(folder: Path, study: Study) -> bool:
    try:
        lab = json.loads((folder / "lab.json").read_text(encoding="utf-8"))
        return lab["outcome"] == "ok" or study.allows_failed
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none if it does not exist."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        return []


def digest(folder: Path, trials: Iterable[str]) -> str:
    """Return the digest of a study's bundles: of their lists of checksums, by name of the trial."""
    found = hashlib.sha256()
    for trial in sorted(trials):
        found.update((folder / trial / "SHA256SUMS").read_bytes())
    return found.hexdigest()


def _nbiot_missing(claims: Sequence[Claim], top: Path) -> str:
    """Return why the claims of the NB-IoT study are not those of its full simulation."""
    config = top / "sim" / "nbiot" / "config" / _PROFILE / "study.json"
    seeds = json.loads(config.read_text(encoding="utf-8"))["experiment"]["seeds"]
    most = max((int(claim.n) for claim in claims if claim.n.isdigit()), default=0)
    return "" if most >= seeds else f"it has {most} seeds, the full study {seeds}"


def record(
    claims: Sequence[Claim],
    data: Path,
    results: Path,
    folder: Path = FOLDER,
    top: Path = ROOT,
) -> list[str]:
    """Write data/full from a run's claims table, bundles and results; return what was done.

    Raises:
        InputError: the checkout differs from its commit.
    """
    name, date = commit(top)
    kept = {row["study"]: row for row in _rows(folder / "studies.csv")}
    lines = []
    done: dict[str, dict[str, object]] = {}
    for study in sorted({claim.study for claim in claims} & {*available(), _NBIOT}):
        mine = [claim for claim in claims if claim.study == study]
        if study == _NBIOT:
            why, trials = _nbiot_missing(mine, top), []
        else:
            design = load_study(study)
            why = missing(design, data, results)
            trials = [trial.id for trial in design.trials(_PROFILE)]
        if why:
            lines.append(f"{study}: not recorded, {why}")
            continue
        of = digest(data / study, trials) if trials else ""
        values = (study, _PROFILE, name, date, len(trials) or "", of)
        done[study] = dict(zip(STUDIES, values, strict=True))
        lines.append(f"{study}: {len(mine)} claims of {len(trials) or 'all'} trials")
    rows = [row for row in _rows(folder / "claims.csv") if row["study"] not in done]
    rows += [claim._asdict() for claim in claims if claim.study in done]
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "claims.csv", CLAIMS, sorted(rows, key=lambda row: row["claim"]))
    _write(folder / "studies.csv", STUDIES, [(kept | done)[study] for study in sorted(kept | done)])
    return [*lines, f"README: {sentence(folder) or 'no full run is recorded'}"]


def sentence(folder: Path = FOLDER) -> str:
    """Return the README's sentence about the full run; empty where none is recorded."""
    counted = [row for row in _rows(folder / "claims.csv") if row["counted"] == "once"]
    if not counted:
        return ""
    found = Counter(row["verdict"] for row in counted)
    ran = _rows(folder / "studies.csv")
    commits = ", ".join(sorted({row["commit"][:8] for row in ran}))
    decided = ("reproduced", "not reproduced", "contradicted")
    rest = len(counted) - sum(found[verdict] for verdict in decided)
    return (
        f"In the full run of {', '.join(sorted(row['study'] for row in ran))} (commit {commits}) "
        f"{found['reproduced']} of {len(counted)} statements are reproduced, "
        f"{found['not reproduced']} not, {found['contradicted']} contradicted; the lab cannot "
        f"decide {rest}."
    )


def _write(path: Path, names: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
