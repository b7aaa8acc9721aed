# The NB-IoT system simulation: its studies, its claims, figures and numbers. Every study of a
# profile is one file of sim/nbiot/config/PROFILE.
NBIOT_STUDIES = sorted(
    path.stem for path in Path("sim/nbiot/config", config["profile"]).glob("*.json")
)
NBIOT_TABLES = ["coverage", "results", "runs"]
NBIOT_CLAIMS = "results/nbiot/claims.csv"


rule nbiot_study:
    input:
        program="build/sim/nbiot/nbiot",
        study="sim/nbiot/config/{profile}/{name}.json",
    output:
        expand("results/nbiot/{{profile}}/{{name}}/{table}.csv", table=NBIOT_TABLES),
    log:
        "results/logs/nbiot/{profile}/{name}.log",
    wildcard_constraints:
        profile="quick|full",
        name="|".join(NBIOT_STUDIES),
    threads: lambda wildcards: workflow.cores
    resources:
        mem_mb=1000,
    message:
        "Simulating NB-IoT: {wildcards.name}"
    shell:
        "{input.program:q} run {input.study:q} --threads {threads}"
        " --out results/nbiot/{wildcards.profile:q}/{wildcards.name:q} >{log:q} 2>&1"


rule nbiot_report:
    input:
        expand(
            "results/nbiot/{profile}/{name}/{table}.csv",
            profile=config["profile"],
            name=NBIOT_STUDIES,
            table=NBIOT_TABLES,
        ),
        published="data/published/ericsson2018.csv",
        script=r_script("nbiot"),
    output:
        NBIOT_CLAIMS,
        expand(
            "results/nbiot/{name}.tex",
            name=["beyond", "limits", "numbers", "sensitivity"],
        ),
        [
            report(
                f"results/figures/nbiot_{figure}.pdf",
                caption="../report/nbiot.rst",
                category="NB-IoT",
                labels={"figure": figure},
            )
            for figure in [
                "beyond",
                "coverage",
                "distance",
                "service",
                "throughput",
            ]
        ],
    log:
        "results/logs/nbiot/report.log",
    resources:
        mem_mb=1000,
    params:
        profile=config["profile"],
    message:
        "Deciding the claims of the NB-IoT study and drawing its figures"
    shell:
        "Rscript {input.script[0]:q} --tables results/nbiot/{params.profile:q} --published data/published"
        " --out results/nbiot --figures results/figures >{log:q} 2>&1"
