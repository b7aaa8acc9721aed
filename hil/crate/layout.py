"""Where things are in a crate: as in the project's folder.

ro-crate-metadata.json               what there is, each file with its size and SHA-256
data/raw/STUDY/TRIAL/                the bundles
build/firmware/lx106/sizes.csv       flash and RAM of the engines, where they were measured
workflow/, config.yaml               the workflow's rules, the studies' designs, what was asked
README.md, LICENSE, CITATION.cff
"""

from __future__ import annotations

import re

METADATA = "ro-crate-metadata.json"
WORKFLOW = "workflow/Snakefile"
RULES = "workflow/rules/"
CONFIG = "config.yaml"
BUNDLES = "data/raw/"
SIZES = "build/firmware/lx106/sizes.csv"
TEXTS = ("CITATION.cff", "LICENSE")
README = "README.md"

RO_CRATE = "1.1"  # what Workflow Run Crate 0.5 is built on
PROFILE = "https://w3id.org/ro/wfrun/workflow/0.5"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    PROFILE: ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}

# A file's place: nothing that a shell, another system or a reader could take for another place.
_PART = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9_.-]+"
PLACE = re.compile(rf"{_PART}(?:/{_PART})*")
BUNDLE_FILE = re.compile(rf"{BUNDLES}([a-z][a-z0-9-]*)/([A-Za-z0-9_.-]+)/([^/]+)")
