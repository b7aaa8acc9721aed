# What `snakemake --cores all` runs. The rules are below workflow/, where the Snakemake Workflow Catalog
# looks for them.
include: "workflow/Snakefile"
