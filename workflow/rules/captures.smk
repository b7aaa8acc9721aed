# Recorded captures: got from where they are kept, and dissected to one table of packets each.


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
        "python workflow/scripts/fetch_archive.py {wildcards.archive:q} --mirror={params.mirror:q}"
        " --out {output:q} 2>{log:q}"


rule archives:
    input:
        expand("data/archives/{archive}.pcapng", archive=ARCHIVES),


rule dissect_archive:
    input:
        capture="data/archives/{archive}.pcapng",
        script=r_script("dissect"),
    output:
        "results/packets/archives/{archive}.csv.gz",
    log:
        "results/logs/dissect/archives/{archive}.log",
    resources:
        mem_mb=800,
    message:
        "Dissecting the recorded capture {wildcards.archive}"
    shell:
        "Rscript {input.script[0]:q} --capture {input.capture:q} --packets {output:q} 2>{log:q}"
