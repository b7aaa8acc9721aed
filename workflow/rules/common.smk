# What the rules share: the checked configuration, the trials it asks for, the sources of the code.
import os
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)

from hil.archives import reachable
from hil.design.settings import make_plain
from hil.design.studies import canonical_json, load_study
from hil.errors import ThinwireError, ToolMissing
from hil.schema import validate
from hil.system import tools

# The rules find the command line that belongs to this Snakemake, wherever that was started from.
tools.widen_path()

# No result may depend on the locale or the time of day.
shell.prefix("set -euo pipefail; export LC_ALL=C SOURCE_DATE_EPOCH=1577836800; ")

try:
    if tools.find("thinwire") is None:
        raise ToolMissing(
            "thinwire", "all rules", "run 'make setup', then .venv/bin/snakemake"
        )
    make_plain(config)
    validate(config, "config", "config.yaml")
    STUDIES = {name: load_study(name) for name in config["studies"]}
    TRIALS = {
        name: {
            trial.id: trial
            for trial in study.trials(
                config["profile"],
                "virtual" if config["testbed"] == "archive" else config["testbed"],
            )
        }
        for name, study in STUDIES.items()
    }
    ARCHIVES = reachable(config["archives"], config["mirror"])
except ThinwireError as error:
    print(f"thinwire: error: {error}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(error.status)


wildcard_constraints:
    study="|".join(TRIALS),
    trial="[A-Za-z0-9_.-]+",
    archive="[A-Za-z0-9_-]+",


def sources(*patterns):
    """All files that match, sorted: what a compiled thing or a table is made with."""
    return sorted(str(path) for pattern in patterns for path in Path().glob(pattern))


# The analysis in R by layer, each with those below it: what a table or figure is made with. A rule
# depends on the layer that its script names, so that a new colour does not dissect captures again.
R_CODE = {
    "capture": sources("workflow/R/capture/NAMESPACE", "workflow/R/capture/R/*.R")
    + ["workflow/scripts/thinwire.R"]
}
R_CODE["study"] = R_CODE["capture"] + sources(
    "workflow/R/study/NAMESPACE", "workflow/R/study/R/*.R"
)
R_CODE["report"] = R_CODE["study"] + sources(
    "workflow/R/report/NAMESPACE", "workflow/R/report/R/*.R"
)
ARCHIVE_METRICS = ["results/metrics/archives.csv"] if ARCHIVES else []


def over_air(study, trial):
    """Does the trial's link have a capture of the air?"""
    return TRIALS[study][trial].parameters["link"] == "air"


def bundle_files(study, trial):
    """The files of a bundle that the analysis reads."""
    names = ["trial.json", "wire.pcapng.gz", "board.jsonl", "server.jsonl", "lab.json"]
    return [f"data/raw/{study}/{trial}/{name}" for name in [*names, "SHA256SUMS"]]


def tables_of(wildcards):
    """The tables of all trials of a study, or of the recorded captures, that one table collects."""
    study, kind, ending = wildcards.study, wildcards.kind, wildcards.ending
    trials = list(ARCHIVES if study == "archives" else TRIALS[study])
    tables = [f"results/{kind}/{study}/{trial}.{ending}" for trial in trials]
    if kind == "metrics" and study != "archives":
        air = [trial for trial in trials if over_air(study, trial)]
        tables += [f"results/air/{study}/{trial}.csv" for trial in air]
    return tables


def per_trial(pattern):
    """An input function: `pattern` for every trial of the study in the wildcards."""
    return lambda wildcards: expand(
        pattern, study=wildcards.study, trial=TRIALS[wildcards.study]
    )


def per_study(pattern):
    """`pattern` for every study."""
    return expand(pattern, study=TRIALS)
