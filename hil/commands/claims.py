"""`thinwire claims [CLAIM]`: list claims of the sources with their verdicts, or explain one."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import nearest
from hil.commands import carried, claims_list, claims_table, full_runs, project
from hil.commands.claims_list import Claim
from hil.machine.shipped import IN_WHEEL

VERDICTS = (
    "reproduced",
    "reproduced in direction",
    "not reproduced",
    "contradicted",
    "decided by an assumption",
    "outside what the lab can decide",
    "another condition",
    "too few runs",
    "not testable",
)
APART = ("repeated", "trivial")  # claims that are counted by themselves, not with their kind
KINDS = ("repetition", "capture read again", "consistency")
# What no file of workflow/studies describes: the folder of its evidence, and the command for it.
_OTHERS = {
    "recordings": ("data/recordings", "make recordings"),
    "nbiot": ("results/nbiot", "snakemake --cores all -- results/nbiot/claims.csv"),
    "firmware": ("", "snakemake --cores all -- results/firmware/metrics.csv"),
    "ufrn-libraries": ("build/ufrn/ufrn-libraries", "python -m hil.selfcheck.ufrn"),
}
EXAMPLES = """\
Examples:
  thinwire claims --counts
  thinwire claims --source ufes2018 --verdict contradicted
  thinwire claims --differ
  thinwire claims ufes-table-large-coap
  thinwire claims 'kuleuven-*' --text loss
"""


def _sources_of(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Complete --source: return the sources of the table."""
    return sorted({claim.source for claim in claims_table.find(parsed_args.table).claims})


def _add_choice(
    parser: argparse.ArgumentParser, name: str, choices: tuple[str, ...], which: str
) -> None:
    """Add an option with one of several texts, whose blanks may be hyphens."""
    words = claims_list.hyphened(choices)
    parser.add_argument(
        f"--{name}",
        choices=choices,
        type=claims_list.words,
        metavar=name.upper(),
        help=f"only claims {which}: {', '.join(words)}",
    ).completer = lambda **_: words  # type: ignore[attr-defined]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    name = parser.add_argument(
        "claim",
        nargs="?",
        help="explain this claim, such as ufes-table-large-coap, or list those like kuleuven-*",
    )
    name.completer = lambda parsed_args, **_: [  # type: ignore[attr-defined]
        claim.claim for claim in claims_table.find(parsed_args.table).claims
    ]
    _add_choice(parser, "verdict", VERDICTS, "with this verdict")
    parser.add_argument(
        "--source", metavar="SOURCE", help="only claims of this paper, such as ufes2018"
    ).completer = _sources_of  # type: ignore[attr-defined]
    _add_choice(parser, "kind", KINDS, "with this kind of evidence")
    parser.add_argument("--text", metavar="WORDS", help="only claims with these words")
    parser.add_argument(
        "--differ",
        action="store_true",
        help="only claims whose verdict in the full run is not that of this build",
    )
    parser.add_argument("--counts", action="store_true", help="count the claims by verdict")
    parser.add_argument("--json", action="store_true", help="print JSON with every field")
    parser.add_argument(
        "--record",
        action="store_true",
        help="after a run of the profile full: keep its verdicts in data/full",
    )
    parser.add_argument(
        "--table",
        type=Path,
        metavar="CLAIMS.csv",
        help=f"the table of claims (default: {project.CLAIMS} of the project, else the shipped one"
        " of the last full run)",
    )


def count(claims: list[Claim]) -> dict[str, dict[str, int]]:
    """Count the claims by kind, then by the verdict that counts: the full run's where there is one.

    Repeated and trivial claims are counted by themselves.
    """
    found = Counter(
        (claim.counted if claim.counted in APART else claim.kind, claim.counts_as)
        for claim in claims
    )
    return {
        group: {verdict: found[group, verdict] for verdict in VERDICTS if found[group, verdict]}
        for group in (*KINDS, *APART)
    }


def counts(claims: list[Claim]) -> str:
    """Format the counts as text: a line for each kind, and for what is counted apart."""
    lines = []
    for group, found in count(claims).items():
        if group in APART and not found:
            continue
        words = ", ".join(f"{number} {verdict}" for verdict, number in found.items())
        name = f"by {group}" if group in KINDS else f"{group}, counted apart"
        lines.append(f"{sum(found.values())} {name}: {words or 'none'}")
    return "\n".join([*lines, full_words(claims)])


def full_words(claims: list[Claim]) -> str:
    """Say how many of the counted verdicts are a full run's, and how many of these differ here."""
    recorded = [claim for claim in claims if claim.full]
    if not recorded:
        return "no full run is recorded (data/full): these verdicts are the build's"
    differ = sum(map(claims_list.differs, recorded))
    commits = ", ".join(sorted({claim.full_commit[:8] for claim in recorded}))
    return (
        f"{len(recorded)} verdicts are the full run's (commit {commits}), "
        f"of which {differ} differ in this build"
    )


def _full(claim: Claim) -> str:
    """Return the full run's verdict with its value and commit; empty where there is none."""
    if not claim.full:
        return ""
    value = f", {claim.full_ours} {claim.unit}".rstrip() if claim.full_ours else ""
    return f"{claim.full}{value} (commit {claim.full_commit[:8]})"


def remake(claim: Claim) -> list[str]:
    """Return the commands that reproduce a claim's evidence and decide the claim again."""
    decide = f"snakemake --cores all --forcerun claims {_configured(claim.study)}-- "
    lines = [*_sources(claim), decide + "results/claims.csv"]
    where = carried.IN_CLONE if IN_WHEEL else ""
    return [line if line.startswith("thinwire") else line + where for line in lines]


def _configured(study: str) -> str:
    """Return the option that adds `study` to the build; empty if config.yaml already has it."""
    usual = read_yaml(ROOT / "config.yaml")["studies"]
    if study in ("", *_OTHERS, *usual):
        return ""
    return f"--config 'studies=[{','.join([*usual, study])}]' "


def _sources(claim: Claim) -> list[str]:
    fetched = f"  # fetches {claim.trials}" if claim.study == "recordings" else ""
    if claim.study in _OTHERS:
        return [_OTHERS[claim.study][1] + fetched]
    return [
        carried.marked(
            f"thinwire trial run {claim.study} --trial {trial} --out /tmp/again  # and each other",
            claim.study,
            trial,
        )
        for trial in claim.trials.split()[:1]
    ]


def _bundles(claim: Claim) -> list[str]:
    """Return the paths of the bundles or recordings that the claim rests on."""
    folder, _ = _OTHERS.get(claim.study, (f"data/raw/{claim.study}", ""))
    return [f"{folder}/{trial}" if folder else trial for trial in claim.trials.split()]


def facts(claim: Claim) -> dict[str, str]:
    """Return the labelled facts that explain a claim; a text is empty where nothing is known."""
    interval = f" [{claim.low}, {claim.high}]" if claim.low else ""
    kept = f"data/measured/{claim.study}"
    table = f"{kept}/metrics" if kept in claim.reason else f"results/metrics/{claim.study}"
    rows = f"rows of {table}.csv" if claim.study else "published numbers"
    return {
        "where": f"{claim.source}, {claim.section}",
        "statement": claim.statement,
        "published": claim.published,
        "ours": f"{claim.ours} {claim.unit}".strip(),
        "interval": f"n = {claim.n}{interval}" if claim.n else "",
        "rests on": f"{claim.kind}: {rows}",
        "rule": claim.rule,
        "needs": claim.needs.replace(" ", ", "),
        "verdict": claim.verdict,
        "reason": claim.reason,
        "full run": _full(claim),
        "counted": claim.counted if claim.counted in APART else "",
        "file": claims_list.entry_file(claim),
    }


def explain(claim: Claim) -> str:
    """Format everything known about one claim as text."""
    lines = [f"{name:10} {text}" for name, text in facts(claim).items() if text]
    lines += [f"{'bundle':10} {bundle}" for bundle in _bundles(claim)]
    return "\n".join([claim.claim, *lines, *(f"{'remake':10} {line}" for line in remake(claim))])


def _as_json(claims: list[Claim]) -> str:
    """Format claims as JSON, with their evidence and the commands that reproduce it."""
    rows = [
        {
            **{key: getattr(claim, key) for key in ("claim", "source", "section", "kind")},
            **{key: getattr(claim, key) for key in ("verdict", "statement", "counted")},
            **facts(claim),
            "bundles": "\n".join(_bundles(claim)),
            "remake": "\n".join(remake(claim)),
            "numbers": claims_list.numbers(claim),
        }
        for claim in claims
    ]
    return json.dumps(rows, ensure_ascii=False)


def _print(arguments: argparse.Namespace, found: claims_table.Table) -> None:
    """Print the claim, or the list or the counts of the claims, that the options select.

    Raises:
        InputError: no claim or source has the given name.
    """
    claims = found.claims
    pattern = arguments.claim if claims_list.is_pattern(arguments.claim or "") else None
    if arguments.claim and not pattern:
        known = [claim for claim in claims if claim.claim == arguments.claim]
        if not known:
            names = [claim.claim for claim in claims]
            raise InputError(
                found.path, arguments.claim, "no such claim", nearest(arguments.claim, names)
            )
        print(_as_json(known) if arguments.json else explain(known[0]))
        return
    sources = sorted({claim.source for claim in claims})
    if arguments.source and arguments.source not in sources:
        raise InputError(
            "--source", arguments.source, "no such source", nearest(arguments.source, sources)
        )
    for name in ("verdict", "source", "kind"):
        if wanted := getattr(arguments, name):
            claims = [claim for claim in claims if getattr(claim, name) == wanted]
    if arguments.differ:
        claims = [claim for claim in claims if claims_list.differs(claim)]
    claims = claims_list.chosen(claims, pattern, arguments.text)
    if arguments.counts:
        print(json.dumps(count(claims)) if arguments.json else counts(claims))
    elif arguments.json:
        print(_as_json(claims))
    else:
        total = claims_list.total(claims, VERDICTS, len(found.claims))
        print("\n".join([*claims_list.lines(claims), total]))


def run(arguments: argparse.Namespace) -> int:
    if arguments.record:
        table = claims_table.read(arguments.table or project.path(project.CLAIMS))
        done = full_runs.record(table, project.path("data/raw"), project.path("results"))
        print("\n".join(done))
        return 0
    found = claims_table.find(arguments.table)
    _print(arguments, found)
    if found.note:
        print(found.note, file=sys.stderr if arguments.json else sys.stdout)
    return 0
