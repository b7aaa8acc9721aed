# The paper and its artifact report, the same bytes from the same results.
PAPER_INPUTS = dict(
    numbers="results/numbers.tex",
    tables="results/tables",
    firmware="results/firmware/sizes.tex",
    cell=rules.cell_report.output if config["cell"] else [],
    nbiot=rules.nbiot_report.output if config["nbiot"] else [],
    reports=PLAN.per_study("results/reports/{study}"),
    recorded=["results/figures/recordings_ledger.pdf"] if PLAN.recordings else [],
)
PAPER_SOURCES = sources(
    "paper/*.tex",
    "paper/*.bib",
    "paper/*.yaml",
    "paper/**/*.tex",
    "paper/build.sh",
    "paper/*.py",
)


rule paper:
    input:
        PAPER_SOURCES,
        **PAPER_INPUTS,
    output:
        report(
            "results/paper.pdf",
            caption="../report/paper.rst",
            category="Paper",
            labels={"document": "paper"},
        ),
    log:
        "results/logs/paper.log",
    resources:
        mem_mb=800,
    params:
        studies=list(PLAN.studies),
        document=config["paper"],
    message:
        "Typesetting the paper"
    shell:
        "paper/build.sh --class {params.document:q} {output:q} results {params.studies:q} >{log:q} 2>&1"
        " || {{ grep '^thinwire: error' {log:q} >&2; exit 1; }}"


rule artifact_report:
    input:
        PAPER_SOURCES,
        **PAPER_INPUTS,
    output:
        report(
            "results/artifact-report.pdf",
            caption="../report/artifact_report.rst",
            category="Paper",
            labels={"document": "artifact report"},
        ),
    log:
        "results/logs/artifact-report.log",
    resources:
        mem_mb=800,
    params:
        studies=list(PLAN.studies),
        document=config["paper"],
    message:
        "Typesetting the artifact report"
    shell:
        "paper/build.sh --report --class {params.document:q} {output:q} results {params.studies:q} >{log:q} 2>&1"
        " || {{ grep '^thinwire: error' {log:q} >&2; exit 1; }}"
