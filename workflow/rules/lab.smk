# The time-warped machine: an image of the user's own tools, and a snapshot of it.


rule lab:
    input:
        sources(
            "hil/**/*.py",
            "hil/**/*.c",
            "hil/machine/*",
            "build/uml/*",
            "data/recorded/*.csv",
            "workflow/protocols.yaml",
        ),
        air="build/sim/air/air",
        board="build/sim/lx106/lx106",
        wire="build/sim/wire/wire",
        dtls="build/dtls/dtls-terminator",
        kernel="build/kernel/release",
        requirements="setup/requirements.txt",
        analysis=rules.fork_server.output,  # of `hunt`
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


rule lab_apart:
    # before a trial with these servers starts, or two would, and wait for the same machine
    input:
        "build/lab/current",
    output:
        touch("build/lab/{flavour}.ready"),
    log:
        "results/logs/lab-{flavour}.log",
    resources:
        mem_mb=1500,
    params:
        machine=config["machine"],
    message:
        "Building the lab for servers that stand apart: {wildcards.flavour}"
    shell:
        "thinwire lab build --machine {params.machine:q} --flavour {wildcards.flavour:q} 2>{log:q}"
