# What the rules share: the checked configuration, the trials it asks for, the sources of the code.
import math
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(str(workflow.current_basedir)).parents[1]))

from hil.base.errors import ThinwireError, ToolMissing
from hil.base.paths import ROOT
from hil.commands import forkserver
from hil.crate.layout import SIZES
from hil.crate.read import configured
from hil.design import settings
from hil.design.studies import load_study
from hil.design.trials import canonical_json
from hil.machine import flavours
from hil.recordings import reachable
from hil.rig.boards import BOARDS, zephyr
from hil.system import orphans, tools
from hil.testbeds.runner import firmware, lasts_s

# The rules find the command line that belongs to this Snakemake, wherever that was started from.
tools.widen_path()

# What an instance that was killed has left must not hinder this one, nor work beside it.
if workflow.is_main_process:
    HELD = orphans.adopt(Path.cwd())
orphans.mark(Path.cwd())

# No result may depend on the locale or the time of day. R 4.5 refuses a temporary folder with a blank
# in its name.
shell.prefix("""set -euo pipefail; export LC_ALL=C SOURCE_DATE_EPOCH=1577836800
Rscript() {{
    [[ ${{TMPDIR-}} != *[[:space:]]* ]] || local -x TMPDIR=/tmp
    command Rscript "$@"
}}
""")

try:
    if tools.find("thinwire") is None:
        raise ToolMissing(
            "thinwire", "all rules", "run 'make setup', then .venv/bin/snakemake"
        )
    settings.check(config, map(Path, workflow.configfiles))
    STUDIES = {name: load_study(name) for name in config["studies"]}
    # With the testbed `crate` the bundles are those of a crate, and nothing runs.
    CRATE = configured(config)
    TESTBED = CRATE.testbed if CRATE else config["testbed"]
    TRIALS = {
        name: {
            trial.id: trial
            for trial in (
                CRATE.trials(study, config["profile"])
                if CRATE
                else study.trials(config["profile"], TESTBED)
            )
        }
        for name, study in STUDIES.items()
    }
    BUILT_FOR = {trial.board for trials in TRIALS.values() for trial in trials.values()}
    ZEPHYR = (
        zephyr.tree(config.get("zephyr", ""))
        if "zephyr" in BUILT_FOR and not CRATE
        else None
    )
    RECORDINGS = reachable(config["recordings"], config["mirror"])
except ThinwireError as error:
    print(f"thinwire: error: {error}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(error.status)


wildcard_constraints:
    study="|".join(TRIALS),
    trial="[A-Za-z0-9_.-]+",
    batch="[0-9]+",
    recording="[A-Za-z0-9_-]+",
    flavour="[a-z0-9_-]+",


def sources(*patterns):
    """All files that match, sorted: what a compiled thing or a table is made with."""
    found = (path for pattern in patterns for path in Path().glob(pattern))
    return sorted(str(path) for path in found if path.is_file())


R_LAYERS = ["capture", "study", "report"]


def r_script(name):
    """A script of the analysis, and after it the code that it runs.

    That is the layer that the script names and those below it: a rule with this input is not run
    again when a layer above changes, and a new colour dissects no capture.
    """
    script = f"workflow/scripts/{name}.R"
    layer = re.search(
        r'^run_main\("(\w+)"', Path(script).read_text(encoding="utf-8"), re.MULTILINE
    )[1]
    used = R_LAYERS[: R_LAYERS.index(layer) + 1]
    files = [
        f"workflow/R/{each}/{part}" for each in used for part in ("NAMESPACE", "R/*.R")
    ]
    return [
        script,
        "workflow/scripts/thinwire.R",
        "workflow/protocols.yaml",
        *sources("workflow/wireshark/*", *files),
    ]


RECORDING_METRICS = ["results/metrics/recordings.csv"] if RECORDINGS else []


BUNDLE = [
    "trial.json",
    "wire.pcapng.gz",
    "board.jsonl",
    "server.jsonl",
    "lab.json",
    "SHA256SUMS",
]


def report_tables(study):
    """Names and paths of the further tables that a study's report reads; those of the recorded
    captures only where some can be had."""
    return {
        name: path
        for name, path in STUDIES[study].tables.items()
        if RECORDINGS or Path(path).name.split(".")[0] != "recordings"
    }


# R starts once for a batch of trials, sorted by name, and not for each.
BATCH = 20
BATCHES = {
    name: {
        f"{first // BATCH + 1:04}": sorted(trials)[first : first + BATCH]
        for first in range(0, len(trials), BATCH)
    }
    for name, trials in TRIALS.items()
}


def trial_firmware(wildcards):
    """The image that a trial runs: with TLS, or a library in place of an engine, one of its own."""
    trial = TRIALS[wildcards.study][wildcards.trial]
    return str(firmware(trial.board, trial.facts).relative_to(ROOT))


def trial_lab(wildcards):
    """The machine that a trial runs in: the common one, or that of servers that stand apart."""
    trial = TRIALS[wildcards.study][wildcards.trial]
    flavour = flavours.of(trial.facts.server.name)
    if flavour == flavours.COMMON or TESTBED != "virtual":
        return "build/lab/current"
    return f"build/lab/{flavour.name}.ready"


def trial_minutes(wildcards):
    """What a trial may take at most, as clusters ask: what it lasts on virtual time, which is
    more than it takes, and a minute."""
    return 1 + math.ceil(lasts_s(TRIALS[wildcards.study][wildcards.trial].facts) / 60)


# The recorded captures with one client, which their names say.
ONE_CLIENT = [name for name in RECORDINGS if re.search(r"[^0-9]1(clients?)?$", name)]


def one_client(study):
    """The study's trials with one client, the first repetition of each."""
    return [
        name
        for name, trial in TRIALS[study].items()
        if trial.facts.clients == 1 and trial.repetition == 1
    ]


def bundle_files(wildcards):
    """The files of a batch's bundles that the analysis reads."""
    return expand(
        "data/raw/{study}/{trial}/{file}",
        study=wildcards.study,
        trial=BATCHES[wildcards.study][wildcards.batch],
        file=BUNDLE,
    )


def per_batch(pattern):
    """An input function: `pattern` for every batch of the study in the wildcards."""
    return lambda wildcards: expand(
        pattern, study=wildcards.study, batch=BATCHES[wildcards.study]
    )


def per_study(pattern):
    """`pattern` for every study."""
    return expand(pattern, study=TRIALS)
