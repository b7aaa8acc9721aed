# Trials: each makes one bundle. A trial that went wrong is a bundle that says so (status 1), and
# the analysis counts it; whatever else goes wrong (status 2: bad input, 3: the laboratory) is no
# result, leaves no bundle, and fails the job. With the testbed `crate` the bundles come from a crate
# (docs/crate.md), each checked, and nothing runs.


if CRATE:

    rule trials_of_crate:
        input:
            CRATE.seal,
        output:
            [
                f"data/raw/{study}/{trial}/{file}"
                for study, trials in TRIALS.items()
                for trial in trials
                for file in BUNDLE
            ],
            [SIZES] if SIZES in CRATE.digests else [],
        log:
            "results/logs/trials_of_crate.log",
        threads: workflow.cores or 1
        resources:
            mem_mb=1200,
        params:
            crate=config["crate"],
            profile=config["profile"],
            studies=list(TRIALS),
        message:
            "Taking the trials from {params.crate}"
        shell:
            "thinwire crate unpack {params.crate:q} {params.studies:q}"
            " --profile {params.profile:q} >{log:q} 2>&1 || {{ cat {log:q} >&2; exit 2; }}"

else:

    rule trial:
        input:
            firmware=trial_firmware,
            lab=trial_lab,
        output:
            expand("data/raw/{{study}}/{{trial}}/{file}", file=BUNDLE),
        log:
            "results/logs/trials/{study}/{trial}.log",
        resources:
            mem_mb=1200,
            runtime=lambda wildcards, attempt: attempt * trial_minutes(wildcards),
        params:
            profile=config["profile"],
            testbed=config["testbed"],
            machine=config["machine"],
            emulator=config["emulator"],
            start="workflow/scripts/start.py",
            # a trial is run again when its design changes, not when a comment in its study does
            design=lambda wildcards: canonical_json(
                TRIALS[wildcards.study][wildcards.trial].parameters
            ),
        message:
            "Trial {wildcards.study}/{wildcards.trial}"
        shell:
            "python -IS {params.start:q} trial run {wildcards.study:q} --trial {wildcards.trial:q}"
            " --profile {params.profile:q} --testbed {params.testbed:q}"
            " --machine {params.machine:q} --emulator {params.emulator:q} --out data/raw >{log:q} 2>&1"
            " || [ $? -eq 1 ]"


rule trials_hold:
    # after the paper: a trial that went wrong is told last, and the paper is there all the same
    input:
        "results/paper.pdf",
        [
            f"data/raw/{study}/{trial}/lab.json"
            for study, trials in TRIALS.items()
            for trial in trials
        ],
        [f"workflow/studies/{study}.yaml" for study in TRIALS],
        script="workflow/scripts/check_trials.py",
    output:
        "results/wrong_trials.txt",
    log:
        "results/logs/wrong_trials.log",
    resources:
        mem_mb=100,
    params:
        profile=config["profile"],
        testbed=TESTBED,
        studies=list(TRIALS),
    message:
        "Looking for trials that went wrong"
    shell:
        "python {input.script:q} {output:q} {params.studies:q} --profile {params.profile:q}"
        " --testbed {params.testbed:q} 2>&1 | tee {log:q} >&2"
