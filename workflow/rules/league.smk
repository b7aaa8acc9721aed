# The league: foreign clients and servers, built and packed with what they need (docs/league.md).


rule package:
    # what a build leaves beside its sources has no ending, or is in a folder
    input:
        sources("hil/machine/*.py"),
        lambda wildcards: sources(
            f"league/{wildcards.kind}/{wildcards.member}/[!.]*.*",
            f"league/{wildcards.kind}/{wildcards.member}/src/**/*.*",
        ),
        script="workflow/scripts/package.py",
    output:
        "build/league/{kind}/{member}.tar",
    log:
        "results/logs/league/{kind}/{member}.log",
    wildcard_constraints:
        kind="clients|servers",
    resources:
        mem_mb=1500,
    message:
        "Building {wildcards.member} of league/{wildcards.kind}"
    shell:
        "python {input.script:q} {wildcards.kind:q} {wildcards.member:q} {output:q} 2>{log:q}"
        " || {{ status=$?; cat {log:q} >&2; exit $status; }}"


rule absent:
    output:
        "results/absent/{study}.csv",
    log:
        "results/logs/absent/{study}.log",
    resources:
        mem_mb=100,
    params:
        rows=PLAN.absent_rows,
    message:
        "Naming what {wildcards.study} leaves out"
    shell:
        "printf '%s\\n' {params.rows:q} >{output:q} 2>{log:q}"
