# The 802.11 cell held against theory and against recorded hardware.
RECORDED_COAP = "coap_1clients"


rule cell_table:
    input:
        "build/sim/air/air-figures",
    output:
        "results/cell/{table}.csv",
    log:
        "results/logs/cell/{table}.log",
    message:
        "Validating the cell: {wildcards.table}"
    resources:
        mem_mb=300,
    wildcard_constraints:
        table="saturation|sleep",
    shell:
        "{input} {wildcards.table} >{output} 2>{log}"


rule cell_report:
    input:
        saturation="results/cell/saturation.csv",
        sleep="results/cell/sleep.csv",
        recorded=[
            f"results/packets/archives/{name}.csv.gz"
            for name in ARCHIVES
            if name == RECORDED_COAP
        ],
        code=R_CODE,
        script="workflow/scripts/cell.R",
    output:
        numbers="results/cell/numbers.tex",
        figures=expand(
            "results/figures/cell_{figure}.pdf", figure=["saturation", "sleep"]
        ),
    log:
        "results/logs/cell/report.log",
    message:
        "Drawing the cell's validation"
    params:
        recorded=lambda wildcards, input: (
            f"--recorded {input.recorded} --device {ARCHIVES[RECORDED_COAP].device}"
            if input.recorded
            else ""
        ),
    resources:
        mem_mb=800,
    shell:
        "Rscript {input.script} {input.saturation} {input.sleep} {output.numbers} results/figures"
        " {params.recorded} 2>{log}"
