"""What the workflow's rules compute from config.yaml: studies, trials, batches, and their files.

workflow/rules/common.smk makes one `Plan`, and the rules ask it. Paths are relative to the working
folder, as Snakemake's are. A method with the parameter `wildcards` is an input function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from hil.base.paths import ROOT
from hil.bundle import store as bundle
from hil.crate.layout import BUNDLES, SIZES
from hil.crate.read import Crate, configured
from hil.design import league, settings
from hil.design.league import Absent
from hil.design.studies import Study, load_study
from hil.design.trials import Trial, canonical_json
from hil.machine import flavours
from hil.recordings import Recording, reachable
from hil.rig.boards import zephyr
from hil.testbeds.runner import firmware, lasts_s

BUNDLE = (*bundle.FILES, bundle.SUMS)  # what the rules read of a bundle
R_LAYERS = ("capture", "study", "report")
_LAYER = re.compile(r'^run_main\("(\w+)"', re.MULTILINE)
_ONE_CLIENT = re.compile(r"[^0-9]1(clients?)?$")


class Wildcards(Protocol):
    """Those of a rule; each rule has some of them."""

    study: str
    trial: str
    batch: str


def sources(*patterns: str) -> list[str]:
    """Return all files that match, sorted: what a compiled thing or a table is made with."""
    matches = (path for pattern in patterns for path in Path().glob(pattern))
    return sorted(str(path) for path in matches if path.is_file())


def r_script(name: str) -> list[str]:
    """Return a script of the analysis, and after it the code that it runs.

    That is the layer that the script names and those below it: a rule with this input is not run
    again when a layer above changes. A new colour dissects no capture.
    """
    script = f"workflow/scripts/{name}.R"
    layer = _LAYER.findall(Path(script).read_text(encoding="utf-8"))[0]
    used = R_LAYERS[: R_LAYERS.index(layer) + 1]
    code = [f"workflow/R/{each}/{part}" for each in used for part in ("NAMESPACE", "R/*.R")]
    shared = ["workflow/scripts/thinwire.R", "workflow/protocols.yaml"]
    return [script, *shared, *sources("workflow/wireshark/*", *code)]


@dataclass(frozen=True)
class Plan:
    """What a configuration asks for.

    Attributes:
        studies: by name, in the order of the configuration.
        trials: study -> the name of a trial -> the trial, in the order of the study.
        batch_size: trials that one start of R measures.
        testbed: of the trials; with a crate, the testbed of its bundles.
        crate: where the bundles come from; None if trials run.
        zephyr: the tree of Zephyr; None if no trial needs it.
        absent: study -> the trials that are left out, by name, since this host cannot build what
            they run.
        recordings: the recorded captures that are available, by name.
    """

    studies: dict[str, Study]
    trials: dict[str, dict[str, Trial]]
    batch_size: int
    testbed: str
    crate: Crate | None
    zephyr: Path | None
    recordings: dict[str, Recording]
    absent: dict[str, dict[str, Absent]]

    @cached_property
    def batches(self) -> dict[str, dict[str, list[str]]]:
        """Study -> number of a batch -> its trials: those of the study, sorted by name."""
        size = self.batch_size
        return {
            study: {
                f"{first // size + 1:04}": sorted(trials)[first : first + size]
                for first in range(0, len(trials), size)
            }
            for study, trials in self.trials.items()
        }

    @property
    def measures_sizes(self) -> bool:
        """Whether the sizes of the firmware are measured: a crate may have them."""
        return self.crate is None or SIZES not in self.crate.digests

    @property
    def recording_metrics(self) -> list[str]:
        return ["results/metrics/recordings.csv"] if self.recordings else []

    @property
    def recordings_of_one_client(self) -> list[str]:
        """The recorded captures with one client, which their names say."""
        return [name for name in self.recordings if _ONE_CLIENT.search(name)]

    def report_tables(self, study: str) -> dict[str, str]:
        """Return names and paths of the further tables that a study's report reads; those of the
        recorded captures only if some are available."""
        return {
            name: path
            for name, path in self.studies[study].tables.items()
            if self.recordings or Path(path).name.split(".")[0] != "recordings"
        }

    def _trial(self, wildcards: Wildcards) -> Trial:
        return self.trials[wildcards.study][wildcards.trial]

    def firmware(self, wildcards: Wildcards) -> str:
        """Return the image that a trial runs: with TLS, or a library in place of an engine, one of
        its own."""
        trial = self._trial(wildcards)
        return str(firmware(trial.board, trial.facts).relative_to(ROOT))

    def server(self, wildcards: Wildcards) -> list[str]:
        """Return the package of a trial's foreign server."""
        name = self._trial(wildcards).facts.server_program
        return [league.PACKAGES[league.SERVER].format(name=name)] if name else []

    def absent_rows(self, wildcards: Wildcards) -> list[str]:
        """Return the table of what a study leaves out, as lines of CSV."""
        return [
            ",".join(row)
            for row in (Absent._fields, *sorted(set(self.absent[wildcards.study].values())))
        ]

    def lab(self, wildcards: Wildcards) -> str:
        """Return the file that stands for the trial's machine: the common one, or that of servers
        with an image of their own."""
        flavour = flavours.of(self._trial(wildcards).facts.server.name)
        if not flavour.more or self.testbed != "virtual":
            return "build/lab/current"
        return f"build/lab/{flavour.name}.ready"

    def minutes(self, wildcards: Wildcards) -> int:
        """Return the wall time to ask a cluster for: a minute more than the trial lasts on virtual
        time, which is faster."""
        return 1 + math.ceil(lasts_s(self._trial(wildcards).facts) / 60)

    def design(self, wildcards: Wildcards) -> str:
        """Return the trial's parameters: it is run again when they change, and not when a comment
        in its study does."""
        return canonical_json(self._trial(wildcards).parameters)

    def one_client(self, study: str) -> list[str]:
        """Return the study's trials with one client, the first repetition of each."""
        return [
            name
            for name, trial in self.trials[study].items()
            if trial.facts.clients == 1 and trial.repetition == 1
        ]

    def all_files(self, names: Iterable[str]) -> list[str]:
        """Return the files of these names in the bundles of all studies."""
        return [
            file for study, trials in self.trials.items() for file in files(study, trials, names)
        ]

    def batch_folders(self, wildcards: Wildcards) -> list[str]:
        """Return the folders of a batch's bundles."""
        return folders(wildcards.study, self.batches[wildcards.study][wildcards.batch])

    def batch_files(self, wildcards: Wildcards) -> list[str]:
        """Return the files of a batch's bundles that the analysis reads."""
        return files(wildcards.study, self.batches[wildcards.study][wildcards.batch])

    def per_batch(self, pattern: str) -> Callable[[Wildcards], list[str]]:
        """Return an input function: `pattern` for every batch of the study in the wildcards."""
        return lambda wildcards: [
            pattern.format(study=wildcards.study, batch=batch)
            for batch in self.batches[wildcards.study]
        ]

    def per_study(self, pattern: str) -> list[str]:
        """Return `pattern` for every study."""
        return [pattern.format(study=study) for study in self.trials]


def folders(study: str, trials: Iterable[str]) -> list[str]:
    """Return the folders of bundles."""
    return [f"{BUNDLES}{study}/{trial}" for trial in trials]


def files(study: str, trials: Iterable[str], names: Iterable[str] = BUNDLE) -> list[str]:
    """Return files of bundles: each of these names in each."""
    return [f"{folder}/{name}" for folder in folders(study, trials) for name in names]


def plan(config: dict[str, Any], config_files: Iterable[Path], batch_size: int) -> Plan:
    """Return what a configuration asks for.

    Args:
        config: normalized in place (`settings.check`).
        config_files: its sources.
        batch_size: trials that one start of R measures.

    Raises:
        InputError: the configuration, a study, the crate or the tree of Zephyr is invalid.
    """
    settings.check(config, config_files)
    studies = {name: load_study(name) for name in config["studies"]}
    crate, profile = configured(config), config["profile"]
    testbed = crate.testbed if crate else config["testbed"]
    trials: dict[str, dict[str, Trial]] = {}
    absent: dict[str, dict[str, Absent]] = {}
    for name, study in studies.items():
        found = crate.trials(study, profile) if crate else study.trials(profile, testbed)
        absent[name] = {} if crate else league.absent(found)
        trials[name] = {trial.id: trial for trial in found if trial.id not in absent[name]}
    boards = {trial.board for named in trials.values() for trial in named.values()}
    tree = zephyr.tree(config.get("zephyr", "")) if "zephyr" in boards and not crate else None
    recordings = reachable(config["recordings"], config["mirror"])
    return Plan(studies, trials, batch_size, testbed, crate, tree, recordings, absent)
