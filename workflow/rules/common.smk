# What the rules share: what the configuration asks for (hil/workflow.py), and how they are run.
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(str(workflow.current_basedir)).parents[1]))

from hil.base.errors import ThinwireError, ToolMissing, print_error
from hil.commands import forkserver
from hil.crate.layout import SIZES
from hil.design import libraries
from hil.rig.boards import BOARDS
from hil.system import orphans, tools
from hil.workflow import BUNDLE, files, folders, plan, r_script, sources

# R starts once for a batch of trials, sorted by name, and not for each.
BATCH = 20

# The rules find the command line that belongs to this Snakemake, wherever that was started from.
tools.widen_path()

# What an instance that was killed has left must not hinder this one, nor work beside it.
if workflow.is_main_process:
    HELD = orphans.adopt(Path.cwd())
orphans.mark(Path.cwd())

# No result may depend on the locale or the time of day. R 4.5 refuses a temporary folder with a blank
# in its name.
shell.prefix("""set -euo pipefail; export LC_ALL=C SOURCE_DATE_EPOCH=1577836800
Rscript() {{
    [[ ${{TMPDIR-}} != *[[:space:]]* ]] || local -x TMPDIR=/tmp
    command Rscript "$@"
}}
""")

try:
    if tools.find("thinwire") is None:
        raise ToolMissing(
            "thinwire", "all rules", "run 'make setup', then .venv/bin/snakemake"
        )
    PLAN = plan(config, map(Path, workflow.configfiles), BATCH)
except ThinwireError as error:
    status = print_error(error)
    sys.stderr.flush()
    os._exit(status)  # Snakemake would print a traceback


wildcard_constraints:
    study="|".join(PLAN.trials),
    trial="[A-Za-z0-9_.-]+",
    batch="[0-9]+",
    recording="[A-Za-z0-9_-]+",
    flavour="[a-z0-9_-]+",
    member="[a-z][a-z0-9-]*",
