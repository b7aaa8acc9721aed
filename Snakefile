# What `snakemake --cores all` runs. The rules are below workflow/, where the Snakemake Workflow Catalog
# looks for them; what is made by default, a file that is included may not say.
include: "workflow/Snakefile"


rule default:
    default_target: True
    input:
        rules.all.input,
    localrule: True
