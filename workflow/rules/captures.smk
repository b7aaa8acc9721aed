# Recorded captures: got from where they are kept, and dissected to one table of packets each.


rule fetch_recording:
    input:
        "data/recordings.yaml",
    output:
        "data/recordings/{recording}.pcapng",
    log:
        "results/logs/recordings/{recording}.log",
    retries: 2
    resources:
        mem_mb=100,
    params:
        mirror=config["mirror"],
    message:
        "Getting the recorded capture {wildcards.recording}"
    shell:
        "python workflow/scripts/fetch_recording.py {wildcards.recording:q} --mirror={params.mirror:q}"
        " --out {output:q} 2>{log:q}"


rule recordings:
    input:
        expand("data/recordings/{recording}.pcapng", recording=PLAN.recordings),


rule dissect_recording:
    input:
        capture="data/recordings/{recording}.pcapng",
        script=r_script("dissect"),
    output:
        "results/packets/recordings/{recording}.csv.gz",
    log:
        "results/logs/dissect/recordings/{recording}.log",
    resources:
        mem_mb=800,
    message:
        "Dissecting the recorded capture {wildcards.recording}"
    shell:
        "Rscript {input.script[0]:q} --capture {input.capture:q} --packets {output:q} 2>{log:q}"
