# From packets to metrics, claims, figures and the numbers of the paper. All arithmetic is in R.


rule metrics:
    input:
        bundle=lambda wildcards: bundle_files(wildcards.study, wildcards.trial),
        packets="results/packets/{study}/{trial}.csv.gz",
        code=R_CODE["study"],
        script="workflow/scripts/metrics.R",
    output:
        metrics="results/metrics/{study}/{trial}.csv",
        samples="results/samples/{study}/{trial}.csv.gz",
        factors="results/factors/{study}/{trial}.csv",
    log:
        "results/logs/metrics/{study}/{trial}.log",
    resources:
        mem_mb=800,
    params:
        bundle="data/raw/{study}/{trial}",
    message:
        "Measuring {wildcards.study}/{wildcards.trial}"
    shell:
        "Rscript {input.script} {params.bundle} {input.packets}"
        " {output.metrics} {output.samples} {output.factors} 2>{log}"


rule air:
    input:
        lambda wildcards: bundle_files(wildcards.study, wildcards.trial),
        code=R_CODE["study"],
        script="workflow/scripts/air.R",
    output:
        "results/air/{study}/{trial}.csv",
    log:
        "results/logs/air/{study}/{trial}.log",
    resources:
        mem_mb=800,
    params:
        bundle="data/raw/{study}/{trial}",
    message:
        "Measuring the air of {wildcards.study}/{wildcards.trial}"
    shell:
        "Rscript {input.script} {params.bundle} {output} 2>{log}"


rule metrics_archive:
    input:
        packets="results/packets/archives/{archive}.csv.gz",
        code=R_CODE["study"],
        script="workflow/scripts/archive.R",
    output:
        "results/metrics/archives/{archive}.csv",
    log:
        "results/logs/metrics/archives/{archive}.log",
    resources:
        mem_mb=800,
    params:
        options=lambda wildcards: ARCHIVES[wildcards.archive].options,
    message:
        "Measuring the recorded capture {wildcards.archive}"
    shell:
        "Rscript {input.script} {wildcards.archive} {input.packets} {output} {params.options} 2>{log}"


rule collect:
    input:
        tables=tables_of,
        code=R_CODE["study"],
        script="workflow/scripts/collect.R",
    output:
        "results/{kind}/{study}.{ending}",
    log:
        "results/logs/collect/{kind}/{study}.{ending}.log",
    wildcard_constraints:
        study="|".join([*TRIALS, "archives"]),
        kind="metrics|samples|factors",
        ending=r"csv(\.gz)?",
    resources:
        mem_mb=800,
    message:
        "Collecting the {wildcards.kind} of {wildcards.study}"
    shell:
        "Rscript {input.script} {output} {input.tables} 2>{log}"


rule figure:
    input:
        metrics="results/metrics/{study}.csv",
        samples="results/samples/{study}.csv.gz",
        factors="results/factors/{study}.csv",
        code=R_CODE["report"],
        script="workflow/scripts/figure.R",
    output:
        "results/figures/{study}_{figure}.pdf",
    log:
        "results/logs/figures/{study}_{figure}.log",
    wildcard_constraints:
        figure="delivery|rtt|bytes",
    resources:
        mem_mb=1000,
    message:
        "Drawing {wildcards.figure} of {wildcards.study}"
    shell:
        "Rscript {input.script} {wildcards.figure} {output}"
        " {input.metrics} {input.samples} {input.factors} 2>{log}"


rule figure_archives:
    input:
        metrics="results/metrics/archives.csv",
        code=R_CODE["report"],
        script="workflow/scripts/figure.R",
    output:
        "results/figures/archives_ledger.pdf",
    log:
        "results/logs/figures/archives_ledger.log",
    resources:
        mem_mb=1000,
    message:
        "Drawing the byte ledgers of the recorded captures"
    shell:
        "Rscript {input.script} ledger {output} {input.metrics} 2>{log}"


rule firmware_report:
    input:
        sizes="build/firmware/lx106/sizes.csv",
        code=R_CODE["report"],
        script="workflow/scripts/firmware.R",
    output:
        metrics="results/firmware/metrics.csv",
        factors="results/firmware/factors.csv",
        table="results/firmware/sizes.tex",
    log:
        "results/logs/firmware_report.log",
    resources:
        mem_mb=800,
    message:
        "Reporting flash and RAM of each engine"
    shell:
        "Rscript {input.script} {input.sizes} {output} 2>{log}"


rule matrix_report:
    input:
        metrics="results/metrics/matrix.csv",
        samples="results/samples/matrix.csv.gz",
        factors="results/factors/matrix.csv",
        sizes="build/firmware/lx106/sizes.csv",
        code=R_CODE["report"],
        script="workflow/scripts/matrix.R",
    output:
        expand("results/matrix/{name}.tex", name=["all", "memory", "modes", "numbers"]),
        expand(
            "results/figures/matrix_{figure}.pdf",
            figure=["bytes", "charge", "memory", "times"],
        ),
    log:
        "results/logs/matrix_report.log",
    resources:
        mem_mb=1000,
    message:
        "Comparing all protocols and modes"
    shell:
        "Rscript {input.script} {input.metrics} {input.samples} {input.factors} {input.sizes}"
        " results/matrix results/figures 2>{log}"


rule limits_report:
    input:
        metrics="results/metrics/limits.csv",
        factors="results/factors/limits.csv",
        code=R_CODE["report"],
        script="workflow/scripts/limits.R",
    output:
        "results/limits/table.tex",
    log:
        "results/logs/limits_report.log",
    resources:
        mem_mb=800,
    message:
        "Reporting the largest payload over each protocol"
    shell:
        "Rscript {input.script} {input.metrics} {input.factors} {output} 2>{log}"


rule claims:
    input:
        decided=NBIOT_CLAIMS if config["nbiot"] else [],
        metrics=per_study("results/metrics/{study}.csv")
        + per_study("results/samples/{study}.csv.gz")
        + per_study("results/factors/{study}.csv")
        + ["results/firmware/metrics.csv", "results/firmware/factors.csv"]
        + ARCHIVE_METRICS,
        published=sources("data/published/*", "data/archives.yaml"),
        code=R_CODE["study"],
        script="workflow/scripts/claims.R",
    output:
        "results/claims.csv",
    log:
        "results/logs/claims.log",
    resources:
        mem_mb=800,
    message:
        "Deciding the claims of the five studies"
    shell:
        "Rscript {input.script} {output} data/published {input.metrics} {input.decided} 2>{log}"


rule report:
    input:
        claims="results/claims.csv",
        tables=per_study("results/metrics/{study}.csv")
        + per_study("results/factors/{study}.csv")
        + per_study("results/samples/{study}.csv.gz")
        + ARCHIVE_METRICS,
        published=sources("data/published/*", "data/archives.yaml"),
        code=R_CODE["report"],
        script="workflow/scripts/report.R",
    output:
        numbers="results/numbers.tex",
        tables=directory("results/tables"),
    log:
        "results/logs/report.log",
    resources:
        mem_mb=800,
    message:
        "Writing the paper's numbers and tables"
    shell:
        "Rscript {input.script} {output.numbers} {output.tables} {input.claims} data/published"
        " {input.tables} 2>{log}"
