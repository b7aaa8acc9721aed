# The validation of the 802.11 cell: against Bianchi's model, and against a recording of hardware where
# it is at hand.
CELL_RECORDED = "coap_1clients"
CELL_RESULTS = [
    "results/cell/numbers.tex",
    "results/figures/cell_saturation.pdf",
    "results/figures/cell_sleep.pdf",
]


rule cell_validation:
    input:
        "build/sim/air/air",
    output:
        "results/cell/{experiment}.csv",
    log:
        "results/logs/cell/{experiment}.log",
    wildcard_constraints:
        experiment="saturation|sleep",
    resources:
        mem_mb=200,
    message:
        "Validating the cell: {wildcards.experiment}"
    shell:
        "build/sim/air/air-figures {wildcards.experiment} >{output} 2>{log}"


rule cell_report:
    input:
        saturation="results/cell/saturation.csv",
        sleep="results/cell/sleep.csv",
        recorded=(
            f"results/packets/archives/{CELL_RECORDED}.csv.gz"
            if CELL_RECORDED in ARCHIVES
            else []
        ),
        code=R_CODE,
        script="workflow/scripts/cell.R",
    output:
        CELL_RESULTS,
    log:
        "results/logs/cell/report.log",
    resources:
        mem_mb=800,
    params:
        device=lambda wildcards, input: (
            ARCHIVES[CELL_RECORDED].options.split()[1] if input.recorded else ""
        ),
    message:
        "Drawing the cell's validation"
    shell:
        "Rscript {input.script} {input.saturation} {input.sleep} {output[0]} results/figures"
        " {input.recorded} {params.device} 2>{log}"
