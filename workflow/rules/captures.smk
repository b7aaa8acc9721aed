# Captures, ours and recorded ones, become one table of packets each.


rule fetch_archive:
    input:
        "data/archives.yaml",
    output:
        "data/archives/{archive}.pcapng",
    log:
        "results/logs/archives/{archive}.log",
    retries: 2
    resources:
        mem_mb=100,
    params:
        mirror=config["mirror"],
    message:
        "Getting the recorded capture {wildcards.archive}"
    shell:
        "python workflow/scripts/fetch_archive.py {wildcards.archive} --mirror '{params.mirror}'"
        " --out {output} 2>{log}"


rule archives:
    input:
        expand("data/archives/{archive}.pcapng", archive=ARCHIVES),


rule dissect:
    input:
        capture="data/raw/{study}/{trial}/wire.pcapng.gz",
        code=R_CODE["capture"],
        script="workflow/scripts/dissect.R",
    output:
        "results/packets/{study}/{trial}.csv.gz",
    log:
        "results/logs/dissect/{study}/{trial}.log",
    resources:
        mem_mb=800,
    message:
        "Dissecting {wildcards.study}/{wildcards.trial}"
    shell:
        "Rscript {input.script} {input.capture} {output} 2>{log}"


rule dissect_archive:
    input:
        capture="data/archives/{archive}.pcapng",
        code=R_CODE["capture"],
        script="workflow/scripts/dissect.R",
    output:
        "results/packets/archives/{archive}.csv.gz",
    log:
        "results/logs/dissect/archives/{archive}.log",
    resources:
        mem_mb=800,
    message:
        "Dissecting the recorded capture {wildcards.archive}"
    shell:
        "Rscript {input.script} {input.capture} {output} 2>{log}"
