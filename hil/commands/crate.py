"""`thinwire crate make`, `verify` and `unpack`: publish bundles as an RO-Crate, and use one."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import validate
from hil.bundle import store as bundle
from hil.bundle import verify
from hil.commands import complete, options, project
from hil.crate import citation, layout
from hil.crate.read import Crate, side_by_side
from hil.design.studies import Study, load_study
from hil.design.trials import DEFAULT_TESTBED, Trial
from hil.machine.shipped import IN_WHEEL
from hil.system import scratch
from hil.system.progress import Bar

EXAMPLES = """\
Examples:
  thinwire crate make matrix --out matrix.zip
  thinwire crate verify matrix.zip
"""

_ARCHIVES = (".gz", ".tgz", ".tar", ".xz", ".zst", ".7z", ".bz2")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    make = actions.add_parser("make", help="verify and pack the bundles of studies")
    check = actions.add_parser("verify", help="check every file and every bundle of a crate")
    unpack = actions.add_parser("unpack", help="store the bundles of a crate below data/raw")
    for action in (check, unpack):
        action.add_argument(
            "crate", type=Path, metavar="CRATE", help="a crate's folder or zip file"
        )
    for action, number in ((make, "+"), (unpack, "*")):
        studies = action.add_argument(
            "studies", nargs=number, metavar="STUDY", help="the studies of these bundles"
        )
        studies.completer = complete.studies  # type: ignore[attr-defined]
        options.add_profile(action)
    unpack.add_argument(
        "--into",
        type=Path,
        metavar="DIR",
        help="the project's folder (default: found from the current one)",
    )
    make.add_argument(
        "--out",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="a new folder, a new file NAME.zip, or both",
    )
    make.add_argument(
        "--testbed",
        default=DEFAULT_TESTBED,
        choices=["virtual", "live", "hardware"],
        help="where the trials ran",
    )
    make.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="root of the bundles (default: data/raw of the project)",
    )
    make.add_argument("--title", help="title of the crate")
    make.add_argument(
        "--author",
        action="append",
        default=[],
        metavar="NAME[=ORCID]",
        help="author, instead of those of CITATION.cff; may be repeated",
    )
    make.add_argument("--doi", help="DOI that Zenodo has reserved")
    make.add_argument(
        "--license", help="licence of the bundles, an SPDX name (default: CITATION.cff's)"
    )
    make.add_argument(
        "--date",
        type=date.fromisoformat,
        metavar="YYYY-MM-DD",
        help="date of publication (default: SOURCE_DATE_EPOCH, or today)",
    )
    for action in (make, check, unpack):
        action.add_argument("--json", action="store_true", help="print JSON")


def _holding(trials: list[Trial], raw: Path) -> dict[str, int]:
    """Verify the bundles of the trials, and count their outcomes.

    Raises:
        InputError: a bundle is missing.
        ThinwireError: a bundle is invalid.
    """
    missing = [trial for trial in trials if not (raw / trial.study / trial.id).is_dir()]
    if missing:
        raise InputError(
            raw / missing[0].study / missing[0].id,
            "",
            f"is missing ({len(missing)} of {len(trials)} bundles of these studies)",
            f"run them: snakemake --cores all --config 'studies=[{missing[0].study}]'",
        )
    outcomes: Counter[str] = Counter()
    with Bar(len(trials)) as bar:
        folders = [raw / trial.study / trial.id for trial in trials]
        for number, found in enumerate(side_by_side(verify.check, folders)):
            bar.show(number, f"checking {found.trial}")
            outcomes[found.outcome] += 1
    return dict(sorted(outcomes.items()))


def _cited(arguments: argparse.Namespace) -> citation.Citation:
    """Read CITATION.cff; arguments override its values."""
    found = citation.read(ROOT / "CITATION.cff")
    return citation.Citation(
        found.version,
        arguments.license or found.license,
        tuple(map(citation.author, arguments.author)) or found.authors,
        citation.doi(arguments.doi, "--doi", "") if arguments.doi else found.doi,
        found.url,
        found.keywords,
    )


def _day(given: date | None) -> date:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if given or not epoch:
        return given or datetime.now(UTC).date()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date()
    except (ValueError, OverflowError, OSError) as error:
        raise InputError("SOURCE_DATE_EPOCH", epoch, "is not a time", "unset it") from error


def _config(arguments: argparse.Namespace, names: list[str]) -> dict[str, Any]:
    """Make the workflow's configuration for the studies of the crate.

    Raises:
        InputError: the configuration is invalid.
    """
    config: dict[str, Any] = read_yaml(ROOT / "config.yaml")
    asked = {"studies": names, "profile": arguments.profile, "testbed": arguments.testbed}
    config |= asked | {"mirror": "", "crate": ""}
    validate(config, "config", "config.yaml")
    return config


def _check_new(path: Path) -> None:
    if path.exists():
        raise InputError(path, "", "exists", "remove it, or choose another name")
    if path.suffix in _ARCHIVES:
        raise InputError(path, "", "would be a folder", "name a folder, or a file NAME.zip")
    if not path.absolute().parent.is_dir():
        raise InputError(path.parent, "", "is not a folder", "create it first")


def _make(arguments: argparse.Namespace) -> int:
    if IN_WHEEL:
        problem = "packs the project's workflow, which a wheel does not have"
        raise InputError("crate", "make", problem, "run it in a clone of the project")
    from hil.crate import pack, write  # noqa: PLC0415 - the RO-Crate library takes half a second to load

    for path in arguments.out:
        _check_new(path)
    raw = arguments.data or project.path(project.BUNDLES)
    studies: dict[str, tuple[Study, list[Trial]]] = {}
    for name in dict.fromkeys(arguments.studies):
        study = load_study(name)
        studies[study.name] = study, study.trials(arguments.profile, arguments.testbed)
    title = arguments.title or f"Thinwire: bundles of the studies {', '.join(studies)}"
    about = write.About(title, _cited(arguments), _day(arguments.date))
    config = _config(arguments, list(studies))
    trials = [trial for _, found in studies.values() for trial in found]
    outcomes = _holding(trials, raw)
    sizes = project.path(layout.SIZES)
    source = write.Source(
        studies, arguments.profile, raw, sizes if sizes.exists() else None, config
    )
    written = []
    for path in arguments.out:
        with scratch.folder(".new-", path.absolute().parent) as aside:
            for part in ("crate", "texts"):
                (aside / part).mkdir()
            write.write(source, about, aside / "crate", aside / "texts")
            made, digested = aside / "crate", aside / "crate" / layout.METADATA
            if path.suffix == ".zip":
                made = digested = aside / "crate.zip"
                pack.pack(aside / "crate", made)
            written.append({"path": str(path), "sha256": bundle.file_digest(digested)})
            files = sum(1 for found in (aside / "crate").rglob("*") if found.is_file())
            made.rename(path)
    summary = {
        "studies": {name: len(found) for name, (_, found) in studies.items()},
        "outcomes": outcomes,
        "files": files,
        "made": written,
    }
    if arguments.json:
        print(json.dumps(summary))
        return 0
    for made_as in written:
        print(
            f"{made_as['path']}: {len(trials)} bundles of {', '.join(studies)} ("
            f"{_in_words(outcomes)}), {files} files; SHA-256 {made_as['sha256']}"
            + ("" if made_as["path"].endswith(".zip") else f" of its {layout.METADATA}")
        )
    return 0


def _in_words(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))


def _verify(arguments: argparse.Namespace) -> int:
    crate = Crate(arguments.crate)
    size = crate.check_files()
    outcomes_of: dict[str, dict[str, int]] = {}
    pairs = [(study, trial) for study, trials in crate.bundles.items() for trial in trials]
    with Bar(len(pairs)) as bar:
        found = side_by_side(lambda pair: crate.bundle(*pair), pairs)
        for number, ((study, trial), summary) in enumerate(zip(pairs, found, strict=True)):
            bar.show(number, f"{study}/{trial}")
            counts = outcomes_of.setdefault(study, {})
            counts[summary.outcome] = counts.get(summary.outcome, 0) + 1
    if arguments.json:
        files = len(crate.digests) + 1
        print(json.dumps({"testbed": crate.testbed, "files": files, "studies": outcomes_of}))
        return 0
    print(f"{arguments.crate}: valid; {len(crate.digests)} files, {size} bytes")
    for study, outcomes in outcomes_of.items():
        print(f"{study}: {sum(outcomes.values())} valid bundles ({_in_words(outcomes)})")
    return 0


def _unpack(arguments: argparse.Namespace) -> int:
    crate = Crate(arguments.crate)
    into = arguments.into or project.path(".")
    names = arguments.studies or sorted(crate.bundles)
    trials = [t for name in names for t in crate.trials(load_study(name), arguments.profile)]
    crate.check_files()
    with Bar(len(trials)) as bar:
        for number, summary in enumerate(side_by_side(crate.check, trials)):
            bar.show(number, summary.trial)
    for trial in trials:
        crate.store(trial, into)
    if layout.SIZES in crate.digests:
        sizes = into / layout.SIZES
        sizes.parent.mkdir(parents=True, exist_ok=True)
        sizes.write_bytes(crate.read(layout.SIZES))
    if arguments.json:
        print(json.dumps({"bundles": len(trials), "studies": names, "into": str(into)}))
        return 0
    print(f"{arguments.crate}: {len(trials)} valid bundles are in {into / project.BUNDLES}")
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; return 0."""
    return {"make": _make, "verify": _verify, "unpack": _unpack}[arguments.action](arguments)
