# The time-warped machine: an image of the user's own tools, and a snapshot of it.


rule lab:
    input:
        sources(
            "hil/**/*.py", "hil/machine/*", "build/uml/*", "workflow/protocols.yaml"
        ),
        air="build/sim/air/air",
        board="build/sim/lx106/lx106",
        dtls="build/dtls/dtls-terminator",
        kernel="build/kernel/release",
        requirements="setup/requirements.txt",
    output:
        "build/lab/current",
    log:
        "results/logs/lab.log",
    resources:
        mem_mb=1500,
    params:
        machine=config["machine"],
    message:
        "Building the lab: image and snapshot"
    shell:
        "thinwire lab build --machine {params.machine:q} 2>{log:q}"
