# The paper, the same bytes from the same results.


rule paper:
    input:
        sources(
            "paper/*.tex",
            "paper/*.bib",
            "paper/**/*.tex",
            "paper/build.sh",
            "paper/*.py",
        ),
        numbers="results/numbers.tex",
        tables="results/tables",
        firmware="results/firmware/sizes.tex",
        cell=rules.cell_report.output if config["cell"] else [],
        nbiot=rules.nbiot_report.output if config["nbiot"] else [],
        reports=PLAN.per_study("results/reports/{study}"),
        recorded=["results/figures/recordings_ledger.pdf"] if PLAN.recordings else [],
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
