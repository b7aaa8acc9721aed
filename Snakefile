# Thinwire: firmware -> trials -> captures -> metrics -> figures -> paper.
#
#   snakemake --cores all                         everything that config.yaml asks for
#   snakemake --cores all data/raw/matrix/coap-con_payload100_interval100_background_profile-none_messages100_r1/trial.json
#
# The files of workflow/rules follow the pipeline from left to right.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


# The toolchain of flake.nix as one image, for clusters: only `--sdm apptainer` looks at it, and
# `nix build .#container` makes it (docs/cluster.md).
container: "build/container.sif"


include: "workflow/rules/common.smk"
include: "workflow/rules/firmware.smk"
include: "workflow/rules/lab.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/captures.smk"
include: "workflow/rules/cell.smk"
include: "workflow/rules/nbiot.smk"
include: "workflow/rules/analysis.smk"
include: "workflow/rules/page.smk"
include: "workflow/rules/paper.smk"


# On a cluster these run where Snakemake does: they take seconds, or need the network.
localrules:
    all,
    archives,
    cell,
    charts,
    claims,
    collect,
    collect_archives,
    decide,
    fetch_archive,
    figure_archives,
    firmware_lx106,
    firmware_report,
    firmware_sizes,
    lab,
    numbers,
    page,
    paper,
    simulators,
    trials_hold,


onstart:
    # Snakemake 9 limits the jobs a second: each look at its queue sets an alarm for another look a
    # second later, and so does each job that ends, until it does nothing else. Local jobs need none.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


rule all:
    default_target: True
    input:
        "results/paper.pdf",
        "results/report",
        "results/wrong_trials.txt",
