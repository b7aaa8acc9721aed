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
        matrix=rules.matrix_report.output if "matrix" in STUDIES else [],
        limits=rules.limits_report.output if "limits" in STUDIES else [],
        figures=[
            f"results/figures/{name}_{figure}.pdf"
            for name, study in STUDIES.items()
            for figure in study.figures
        ],
        recorded=["results/figures/archives_ledger.pdf"] if ARCHIVES else [],
    output:
        "results/paper.pdf",
    log:
        "results/logs/paper.log",
    resources:
        mem_mb=800,
    message:
        "Typesetting the paper"
    shell:
        "paper/build.sh {output} results >{log} 2>&1"
        " || {{ grep '^thinwire: error' {log} >&2; exit 1; }}"
