# Trials: each makes one bundle. A trial that went wrong is a bundle that says so (status 1), and
# the analysis counts it; whatever else goes wrong (status 2: bad input, 3: the laboratory) is no
# result, leaves no bundle, and fails the job. With the testbed `crate` the bundles come from a crate
# (docs/crate.md), each checked, and nothing runs.


if PLAN.crate:

    rule trials_of_crate:
        input:
            PLAN.crate.seal,
        output:
            PLAN.all_files(BUNDLE),
            [] if PLAN.measures_sizes else [SIZES],
        log:
            "results/logs/trials_of_crate.log",
        threads: workflow.cores or 1
        resources:
            mem_mb=1200,
        params:
            crate=config["crate"],
            profile=config["profile"],
            studies=list(PLAN.trials),
        message:
            "Taking the trials from {params.crate}"
        shell:
            "thinwire crate unpack {params.crate:q} {params.studies:q}"
            " --profile {params.profile:q} >{log:q} 2>&1 || {{ cat {log:q} >&2; exit 2; }}"

else:

    rule trial:
        input:
            firmware=PLAN.firmware,
            lab=PLAN.lab,
            server=PLAN.server,
        output:
            expand("data/raw/{{study}}/{{trial}}/{file}", file=BUNDLE),
        log:
            "results/logs/trials/{study}/{trial}.log",
        resources:
            mem_mb=1200,
            runtime=lambda wildcards, attempt: attempt * PLAN.minutes(wildcards),
        params:
            profile=config["profile"],
            testbed=config["testbed"],
            machine=config["machine"],
            emulator=config["emulator"],
            start="workflow/scripts/start.py",
            # a trial is run again when its design changes, not when a comment in its study does
            design=PLAN.design,
        message:
            "Trial {wildcards.study}/{wildcards.trial}"
        shell:
            "python -IS {params.start:q} trial run {wildcards.study:q} --trial {wildcards.trial:q}"
            " --profile {params.profile:q} --testbed {params.testbed:q}"
            " --machine {params.machine:q} --emulator {params.emulator:q} --out data/raw >{log:q} 2>&1"
            " || [ $? -eq 1 ]"


rule trials_hold:
    # after the paper: a trial that went wrong is reported last, and the paper is there all the same
    input:
        "results/paper.pdf",
        "results/artifact-report.pdf",
        PLAN.all_files(["lab.json"]),
        PLAN.per_study("workflow/studies/{study}.yaml"),
        script="workflow/scripts/check_trials.py",
    output:
        "results/wrong_trials.txt",
    log:
        "results/logs/wrong_trials.log",
    resources:
        mem_mb=100,
    params:
        profile=config["profile"],
        testbed=PLAN.testbed,
        studies=list(PLAN.trials),
    message:
        "Looking for trials that went wrong"
    shell:
        "python {input.script:q} {output:q} {params.studies:q} --profile {params.profile:q}"
        " --testbed {params.testbed:q} 2>&1 | tee {log:q} >&2"
