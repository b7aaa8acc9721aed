# The page: results/report/index.html, opened from the file; it needs no network and no server.


rule charts:
    input:
        requirements="setup/requirements.txt",
        script="workflow/scripts/charts.py",
    output:
        "results/page/vega.js",
    log:
        "results/logs/charts.log",
    resources:
        mem_mb=1000,
    message:
        "Bundling Vega-Lite for the page"
    shell:
        "python {input.script:q} {output:q} 2>{log:q}"


rule page:
    input:
        ancient(rules.fork_server.output),
        decide="results/decide.json",
        claims="results/claims.csv",
        charts="results/page/vega.js",
        tables=PLAN.per_study("results/metrics/{study}.csv")
        + PLAN.per_study("results/factors/{study}.csv"),
        bundles=PLAN.all_files(["trial.json", "lab.json", "SHA256SUMS"]),
        sources=sources("workflow/page/*"),
        texts=sources(
            "docs/claims.md",
            "docs/glossary.md",
            "docs/metrics.md",
            "docs/measured/*.md",
        )
        + ["docs/measured/league.csv", "paper/references.bib"],
        command=["hil/commands/claims.py", "hil/commands/studies.py"],
        script=r_script("page"),
    output:
        directory("results/report"),
    log:
        "results/logs/page.log",
    resources:
        mem_mb=1000,
    params:
        studies=list(PLAN.studies),
        profile=config["profile"],
        testbed=PLAN.testbed,
    message:
        "Writing the page results/report/index.html"
    shell:
        "(thinwire claims --json >results/page/claims.json"
        " && thinwire studies {params.studies:q} --json --profile {params.profile:q}"
        " --testbed {params.testbed:q} >results/page/studies.json"
        " && Rscript {input.script[0]:q} --decide {input.decide:q} --claims results/page/claims.json"
        " --studies results/page/studies.json --tables {input.tables:q} --bundles data/raw"
        " --charts {input.charts:q} --source workflow/page --project ."
        " --commit \"$(git log -1 --format='%h of %cs' 2>/dev/null)\" --out {output:q}"
        " && thinwire --version >{output:q}/build.txt) 2>{log:q}"
