"""Studies: expand a YAML file into a list of trials, each with its own seed.

A study names constants and, per profile, blocks of factors; a block is the full product of its
levels. Whatever differs between profiles is a factor, even with a single level. So a trial's name
distinguishes it from all others of its study.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import load_yaml, nearest, parameter_names, validate
from hil.design import board_rules, league, sleeping
from hil.design.facts import Facts
from hil.design.parameters import MODE, applies, effective, with_mode
from hil.design.protocols import choose_modes
from hil.design.trials import DEFAULT_BOARD, DEFAULT_TESTBED, Trial, beginning, label

STUDIES = ROOT / "workflow" / "studies"
PHYSICAL = {"hardware": "esp8266"}  # testbed -> its board, for any study
REPETITIONS, CASE = "repetitions", "case"
_MOST_TRIALS = 100_000


class _Place(NamedTuple):
    """A point of a profile: its factors, how often it is repeated, and where it stands."""

    point: dict[str, Any]
    repetitions: int
    source: str


@dataclass(frozen=True)
class Study:
    """A study file, read and validated."""

    path: Path
    document: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.document["study"])

    @property
    def figures(self) -> list[str]:
        """The figures of the study's report."""
        return list(self.document.get("figures", []))

    @property
    def allows_failed(self) -> bool:
        """Whether trials of the study may fail without failing the run."""
        return bool(self.document.get("allow_failed", False))

    @property
    def report(self) -> str:
        """The name of the study's report, a file workflow/R/report/R/report_NAME.R."""
        return str(self.document.get("report", "common"))

    @property
    def tables(self) -> dict[str, str]:
        """Names and paths of additional tables that the report reads."""
        return dict(self.document.get("tables", {}))

    @property
    def boards(self) -> list[str]:
        """The boards of the study: each trial runs on each of them."""
        given = self.document.get("board", DEFAULT_BOARD)
        return [given] if isinstance(given, str) else list(given)

    def trials(
        self, profile: str, testbed: str = DEFAULT_TESTBED, board: str | None = None
    ) -> list[Trial]:
        """Return the trials of a profile (`quick` or `full`), in the order of the study file.

        Without `board` the testbed's board is used, or else those of the study. A board other than
        the study's runs only the trials that it supports.

        Raises:
            InputError: the design is invalid.
        """
        board = board or PHYSICAL.get(testbed)
        found: dict[str, Trial] = {}
        unused = set(self.document["constants"])
        for place in self._places(profile):
            fitting, trials = self._trials_at(place, testbed, board)
            unused -= fitting
            for trial in trials:
                if trial.id in found:
                    raise InputError(
                        self.path,
                        f"profiles.{profile}.blocks",
                        f"trial '{trial.id}' appears twice",
                        "make the blocks disjoint",
                    )
                found[trial.id] = trial
        if unused:
            raise InputError(
                self.path,
                f"constants.{min(unused)}",
                f"applies to no trial of the profile {profile}",
                "remove it",
            )
        return list(found.values())

    def trial(
        self, name: str, profile: str, testbed: str = DEFAULT_TESTBED, board: str | None = None
    ) -> Trial | None:
        """Return the trial of this name that `trials` returns, or None. Other points of the study
        are not checked, which takes most of the time."""
        board = board or PHYSICAL.get(testbed)
        places = (one for one in self._places(profile) if name.startswith(beginning(one.point)))
        trials = (each for one in places for each in self._trials_at(one, testbed, board)[1])
        return next((trial for trial in trials if trial.id == name), None)

    def _check_size(self, profile: str) -> None:
        """Refuse a profile whose product of levels is too large, which is usually a mistake."""
        chosen = self.document["profiles"][profile]
        trials = sum(
            block.get(REPETITIONS, chosen[REPETITIONS])
            * math.prod(len(levels) for levels in block.values() if isinstance(levels, list))
            for block in chosen["blocks"]
        )
        if trials > _MOST_TRIALS:
            raise InputError(
                self.path,
                f"profiles.{profile}",
                f"has {trials} trials or more",
                f"name fewer levels; the limit is {_MOST_TRIALS} trials",
            )

    def _places(self, profile: str) -> Iterator[_Place]:
        """Yield the points of a profile, in the order of the study file."""
        constants = self.document["constants"]
        chosen = self.document["profiles"][profile]
        self._check_size(profile)
        for number, block in enumerate(chosen["blocks"]):
            clash = sorted(set(block) & set(constants))
            if clash:
                raise InputError(
                    self.path,
                    f"profiles.{profile}.blocks.{number}.{clash[0]}",
                    "is both a constant and a factor",
                    "remove it from one of the two",
                )
            source = f"{self.path}: profiles.{profile}.{number}"
            factors = {
                key: choose_modes(levels, source, key) if key == MODE else levels
                for key, levels in block.items()
                if key != REPETITIONS
            }
            repetitions = block.get(REPETITIONS, chosen[REPETITIONS])
            for levels in itertools.product(*factors.values()):
                yield _Place(dict(zip(factors, levels, strict=True)), repetitions, source)

    def _trials_at(
        self, place: _Place, testbed: str, board: str | None
    ) -> tuple[set[str], list[Trial]]:
        """Return the names of the constants that apply to a point, which need not be all, and the
        point's trials."""
        constants, (point, repetitions, source) = self.document["constants"], place
        members = league.members({**constants, **point}, source)
        given = with_mode({**members.parameters, **constants, **point}, source)
        validate(given, "parameters", source)
        fitting = {key: value for key, value in constants.items() if applies(key, given)}
        parameters = effective({**members.parameters, **fitting, **point}, source)
        facts = Facts.of(parameters)
        boards = members.boards or ([board] if board else self.boards)
        if board and (sleeping.beyond(board, facts) or board not in boards):
            return set(fitting), []
        for each in boards:
            board_rules.check(facts, each, source)
        return set(fitting), [
            Trial(self.name, point, repetition, parameters, testbed, each, *members.programs)
            for repetition, each in itertools.product(range(1, repetitions + 1), boards)
        ]


def _with_cases(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Return the study with the factors of each named case inserted into its blocks: a block that
    names several is several blocks.

    A case's factors come first, in its order. So a trial has the same name with and without a case.

    Raises:
        InputError: a case is unknown, or unused.
    """
    cases, unused = document.get("cases", {}), set(document.get("cases", {}))
    profiles = {}
    for profile, content in document["profiles"].items():
        blocks = []
        for number, block in enumerate(content["blocks"]):
            named = block.get(CASE)
            own = {key: value for key, value in block.items() if key != CASE}
            for name in named if isinstance(named, list) else [named]:
                if name is not None and name not in cases:
                    raise InputError(
                        path,
                        f"profiles.{profile}.blocks.{number}.{CASE}",
                        f"there is no case '{name}'",
                        nearest(name, cases),
                    )
                unused.discard(name)
                blocks.append({**cases.get(name, {}), **own})
        profiles[profile] = content | {"blocks": blocks}
    if unused:
        raise InputError(path, f"cases.{min(unused)}", "no block names it", "remove it")
    return document | {"profiles": profiles}


def _check_names(path: Path, document: dict[str, Any]) -> None:
    """Check that every constant and factor is a parameter."""
    groups = [("constants", document["constants"])]
    for profile, content in document["profiles"].items():
        for number, block in enumerate(content["blocks"]):
            groups.append((f"profiles.{profile}.blocks.{number}", block))
    for where, names in groups:
        for name in names:
            if name not in parameter_names() and not (name == REPETITIONS and ".blocks." in where):
                raise InputError(
                    path, f"{where}.{name}", "unknown factor", nearest(name, parameter_names())
                )


def available() -> list[str]:
    """Return the names of all studies, sorted."""
    return sorted(path.stem for path in STUDIES.glob("*.yaml"))


def load_study(name: str | Path) -> Study:
    """Read a study by its name, or by the path of its file.

    Raises:
        InputError: the study does not exist, or its file is invalid.
    """
    path = Path(name) if str(name).endswith(".yaml") else STUDIES / f"{name}.yaml"
    if not path.exists():
        raise InputError(path, "", "no such study", nearest(str(name), available()))
    document = load_yaml(path, "study")
    if document["study"] != path.stem:
        raise InputError(
            path,
            "study",
            f"'{document['study']}' differs from the file's name",
            f"write 'study: {path.stem}'",
        )
    document = _with_cases(path, document)
    _check_names(path, document)
    return Study(path, document)


def select(trials: list[Trial], wanted: dict[str, str], repetition: int | None) -> list[Trial]:
    """Return the trials whose parameters match every `key=value` of the command line."""

    def matches(trial: Trial) -> bool:
        for key, text in wanted.items():
            value = trial.parameters.get(key)
            known = str(value).lower()
            if text.lower() not in {known, label(key, value).lower()} and not (
                isinstance(value, bool) and text == str(int(value))
            ):
                return False
        return repetition is None or trial.repetition == repetition

    for key in wanted:
        if key not in parameter_names():
            raise InputError("--point", key, "unknown factor", nearest(key, parameter_names()))
    return [trial for trial in trials if matches(trial)]
