# The NB-IoT system simulation: its studies, its claims, figures and numbers. Every study of a
# profile is one file of sim/nbiot/config/PROFILE.
NBIOT_CONFIG = f"sim/nbiot/config/{config['profile']}"
NBIOT_RESULTS = f"results/nbiot/{config['profile']}"
NBIOT_STUDIES = sorted(path.stem for path in Path(NBIOT_CONFIG).glob("*.json"))
NBIOT_TABLES = ["coverage", "results", "runs"]
NBIOT_CLAIMS = "results/nbiot/claims.csv"
NBIOT_NUMBERS = expand(
    "results/nbiot/{name}.tex", name=["beyond", "limits", "numbers", "sensitivity"]
)
NBIOT_FIGURES = expand(
    "results/figures/nbiot_{figure}.pdf",
    figure=["beyond", "distance", "service", "throughput"],
)


rule nbiot_study:
    input:
        program="build/sim/nbiot/nbiot",
        study=NBIOT_CONFIG + "/{name}.json",
    output:
        expand(NBIOT_RESULTS + "/{{name}}/{table}.csv", table=NBIOT_TABLES),
    log:
        "results/logs/nbiot/{name}.log",
    wildcard_constraints:
        name="|".join(NBIOT_STUDIES),
    threads: workflow.cores
    resources:
        mem_mb=1000,
    params:
        folder=NBIOT_RESULTS,
    message:
        "Simulating NB-IoT: {wildcards.name}"
    shell:
        "{input.program} run {input.study} --out {params.folder}/{wildcards.name}"
        " --threads {threads} >{log} 2>&1"


rule nbiot_report:
    input:
        expand(
            NBIOT_RESULTS + "/{name}/{table}.csv",
            name=NBIOT_STUDIES,
            table=NBIOT_TABLES,
        ),
        code=R_CODE,
        script="workflow/scripts/nbiot.R",
    output:
        NBIOT_CLAIMS,
        NBIOT_NUMBERS,
        NBIOT_FIGURES,
    log:
        "results/logs/nbiot/report.log",
    resources:
        mem_mb=1000,
    params:
        folder=NBIOT_RESULTS,
    message:
        "Deciding the claims of the NB-IoT study and drawing its figures"
    shell:
        "Rscript {input.script} {params.folder} results/nbiot results/figures >{log} 2>&1"
