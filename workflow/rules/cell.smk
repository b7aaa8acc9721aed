# The validation of the 802.11 cell: against Bianchi's model, and against a recording of hardware
# where it is at hand.
CELL_RECORDED = "coap_1clients"


rule cell_validation:
    input:
        "build/sim/air/air-figures",
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
        "{input:q} {wildcards.experiment:q} >{output:q} 2>{log:q}"


rule cell_report:
    input:
        saturation="results/cell/saturation.csv",
        sleep="results/cell/sleep.csv",
        recorded=(
            f"results/packets/recordings/{CELL_RECORDED}.csv.gz"
            if CELL_RECORDED in PLAN.recordings
            else []
        ),
        script=r_script("cell"),
    output:
        numbers="results/cell/numbers.tex",
        saturation=report(
            "results/figures/cell_saturation.pdf",
            caption="../report/cell.rst",
            category="802.11 cell",
            labels={"figure": "saturation"},
        ),
        sleep=report(
            "results/figures/cell_sleep.pdf",
            caption="../report/cell.rst",
            category="802.11 cell",
            labels={"figure": "sleep"},
        ),
    log:
        "results/logs/cell/report.log",
    resources:
        mem_mb=800,
    params:
        recorded=lambda wildcards, input: (
            [
                "--recorded",
                input.recorded,
                "--device",
                PLAN.recordings[CELL_RECORDED].device,
            ]
            if input.recorded
            else []
        ),
    message:
        "Drawing the cell's validation"
    shell:
        "Rscript {input.script[0]:q} --saturation {input.saturation:q} --sleep {input.sleep:q}"
        " --numbers {output.numbers:q} --figures results/figures {params.recorded:q} 2>{log:q}"
