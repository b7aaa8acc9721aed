# From packets to metrics, claims, figures and the numbers of the paper. All arithmetic is in R.


rule measure:
    input:
        ancient(rules.fork_server.output),
        script=r_script("measure"),
        bundles=PLAN.batch_files,
    output:
        metrics="results/metrics/{study}/{batch}.csv",
        samples="results/samples/{study}/{batch}.csv.gz",
        factors="results/factors/{study}/{batch}.csv",
    log:
        "results/logs/measure/{study}/{batch}.log",
    resources:
        mem_mb=800,
    params:
        bundles=PLAN.batch_folders,
    message:
        "Measuring {wildcards.study}, batch {wildcards.batch}"
    shell:
        "Rscript {input.script[0]:q} --bundles {params.bundles:q} --metrics {output.metrics:q}"
        " --samples {output.samples:q} --factors {output.factors:q} 2>{log:q}"


rule metrics_recording:
    input:
        packets="results/packets/recordings/{recording}.csv.gz",
        script=r_script("recording"),
    output:
        metrics="results/metrics/recordings/{recording}.csv",
        samples="results/samples/recordings/{recording}.csv.gz",
        graphs="results/graphs/recordings/{recording}.csv.gz",
    log:
        "results/logs/metrics/recordings/{recording}.log",
    resources:
        mem_mb=800,
    params:
        options=lambda wildcards: PLAN.recordings[wildcards.recording].options,
    message:
        "Measuring the recorded capture {wildcards.recording}"
    shell:
        "Rscript {input.script[0]:q} --name {wildcards.recording:q} --packets {input.packets:q}"
        " --metrics {output.metrics:q} --samples {output.samples:q} --graphs {output.graphs:q}"
        " {params.options:q} 2>{log:q}"


rule collect:
    input:
        metrics=PLAN.per_batch("results/metrics/{study}/{batch}.csv"),
        samples=PLAN.per_batch("results/samples/{study}/{batch}.csv.gz"),
        factors=PLAN.per_batch("results/factors/{study}/{batch}.csv"),
        script="workflow/scripts/collect.py",
    output:
        metrics="results/metrics/{study}.csv",
        samples="results/samples/{study}.csv.gz",
        factors="results/factors/{study}.csv",
    log:
        "results/logs/collect/{study}.log",
    resources:
        mem_mb=800,
    params:
        names=lambda wildcards: list(PLAN.batches[wildcards.study]),
    message:
        "Collecting the tables of {wildcards.study}"
    shell:
        "python {input.script:q} --names {params.names:q} --out {output:q} 2>{log:q}"


rule collect_recordings:
    input:
        metrics=expand(
            "results/metrics/recordings/{recording}.csv", recording=PLAN.recordings
        ),
        samples=expand(
            "results/samples/recordings/{recording}.csv.gz", recording=PLAN.recordings
        ),
        graphs=expand(
            "results/graphs/recordings/{recording}.csv.gz", recording=PLAN.recordings
        ),
        script="workflow/scripts/collect.py",
    output:
        metrics="results/metrics/recordings.csv",
        samples="results/samples/recordings.csv.gz",
        graphs="results/graphs/recordings.csv.gz",
    log:
        "results/logs/collect/recordings.log",
    resources:
        mem_mb=800,
    params:
        names=list(PLAN.recordings),
    message:
        "Collecting the tables of the recorded captures"
    shell:
        "python {input.script:q} --names {params.names:q} --out {output:q} 2>{log:q}"


rule timelines:
    input:
        bundles=lambda wildcards: files(
            wildcards.study, PLAN.one_client(wildcards.study)
        ),
        recorded=expand(
            "results/packets/recordings/{recording}.csv.gz",
            recording=PLAN.recordings_of_one_client,
        ),
        script=r_script("timelines"),
    output:
        "results/timelines/{study}.csv.gz",
    log:
        "results/logs/timelines/{study}.log",
    resources:
        mem_mb=800,
    params:
        bundles=lambda wildcards: folders(
            wildcards.study, PLAN.one_client(wildcards.study)
        ),
        recorded=[
            f"{PLAN.recordings[recording].device}=results/packets/recordings/{recording}.csv.gz"
            for recording in PLAN.recordings_of_one_client
        ],
    message:
        "Packets in time: {wildcards.study}"
    shell:
        "Rscript {input.script[0]:q} --bundles {params.bundles:q} --recorded {params.recorded:q}"
        " --out {output:q} 2>{log:q}"


rule report:
    input:
        script=r_script("report"),
        metrics="results/metrics/{study}.csv",
        samples="results/samples/{study}.csv.gz",
        factors="results/factors/{study}.csv",
        tables=lambda wildcards: PLAN.report_tables(wildcards.study).values(),
    output:
        report(
            directory("results/reports/{study}"),
            patterns=["{figure}.pdf"],
            caption="../report/study.rst",
            category="Studies",
            subcategory="{study}",
            labels={"figure": "{figure}"},
        ),
    log:
        "results/logs/reports/{study}.log",
    resources:
        mem_mb=1000,
    params:
        report=lambda wildcards: PLAN.studies[wildcards.study].report,
        figures=lambda wildcards: PLAN.studies[wildcards.study].figures,
        tables=lambda wildcards: [
            f"{name}={path}"
            for name, path in PLAN.report_tables(wildcards.study).items()
        ],
    message:
        "Reporting {wildcards.study}"
    shell:
        "Rscript {input.script[0]:q} --study {wildcards.study:q} --report {params.report:q}"
        " --metrics {input.metrics:q} --samples {input.samples:q} --factors {input.factors:q}"
        " --out {output:q} --figures {params.figures:q} --tables {params.tables:q} 2>{log:q}"


rule figure_recordings:
    input:
        metrics="results/metrics/recordings.csv",
        script=r_script("ledger"),
    output:
        report(
            "results/figures/recordings_ledger.pdf",
            caption="../report/recordings.rst",
            category="Recorded captures",
            labels={"figure": "byte ledgers"},
        ),
    log:
        "results/logs/figures/recordings_ledger.log",
    resources:
        mem_mb=1000,
    message:
        "Drawing the byte ledgers of the recorded captures"
    shell:
        "Rscript {input.script[0]:q} --metrics {input.metrics:q} --out {output:q} 2>{log:q}"


rule firmware_report:
    input:
        sizes="build/firmware/lx106/sizes.csv",
        script=r_script("firmware"),
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
        "Rscript {input.script[0]:q} --sizes {input.sizes:q} --metrics {output.metrics:q}"
        " --factors {output.factors:q} --table {output.table:q} 2>{log:q}"


rule claims:
    input:
        decided=NBIOT_CLAIMS if config["nbiot"] else [],
        metrics=PLAN.per_study("results/metrics/{study}.csv")
        + PLAN.per_study("results/samples/{study}.csv.gz")
        + PLAN.per_study("results/factors/{study}.csv")
        + ["results/firmware/metrics.csv", "results/firmware/factors.csv"]
        + PLAN.recording_metrics,
        published=sources(
            "data/published/*",
            "data/published/claims/*.yaml",
            "data/measured/*/*.csv",
            "data/recordings.yaml",
            "data/full/*.csv",
            "data/recorded/fidelity.csv",
            "docs/measured/bearssl-times.csv",
            "workflow/equivalence_margins.yaml",
        ),
        script=r_script("claims"),
    output:
        report(
            "results/claims.csv",
            caption="../report/claims.rst",
            category="Claims",
            labels={"table": "verdicts"},
        ),
    log:
        "results/logs/claims.log",
    resources:
        mem_mb=800,
    message:
        "Deciding the claims of the five studies"
    shell:
        "Rscript {input.script[0]:q} --claims {output:q} --published data/published"
        " --tables {input.metrics:q} {input.decided:q} 2>{log:q}"


rule decide:
    input:
        tables=PLAN.per_study("results/metrics/{study}.csv")
        + PLAN.per_study("results/factors/{study}.csv")
        + ["results/firmware/metrics.csv", "results/firmware/factors.csv"],
        parameters="workflow/schemas/parameters.schema.json",
        script=r_script("decide"),
    output:
        "results/decide.json",
    log:
        "results/logs/decide.log",
    resources:
        mem_mb=800,
    message:
        "Fitting what ranks the modes between the measured conditions"
    shell:
        "Rscript {input.script[0]:q} --tables {input.tables:q} --out {output:q} 2>{log:q}"


rule numbers:
    input:
        claims="results/claims.csv",
        tables=PLAN.per_study("results/metrics/{study}.csv") + PLAN.recording_metrics,
        published=sources(
            "data/published/*",
            "data/measured/*/*.csv",
            "data/recorded/fidelity.csv",
            "data/recordings.yaml",
            "docs/measured/bearssl-times.csv",
            "docs/measured/league.csv",
        ),
        script=r_script("numbers"),
    output:
        numbers="results/numbers.tex",
        tables=directory("results/tables"),
    log:
        "results/logs/numbers.log",
    resources:
        mem_mb=800,
    message:
        "Writing the paper's numbers and tables"
    shell:
        "Rscript {input.script[0]:q} --numbers {output.numbers:q} --folder {output.tables:q}"
        " --claims {input.claims:q} --published data/published --tables {input.tables:q} 2>{log:q}"
