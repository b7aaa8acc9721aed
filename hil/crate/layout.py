"""The layout of a crate, which is that of the project's folder.

ro-crate-metadata.json               every file with its size and SHA-256
data/raw/STUDY/TRIAL/                the bundles
build/firmware/lx106/sizes.csv       flash and RAM of the engines, if they were measured
workflow/, config.yaml               the workflow's rules, the studies' designs, the configuration
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

RO_CRATE = "1.1"  # the version that Workflow Run Crate 0.5 extends
PROFILE = "https://w3id.org/ro/wfrun/workflow/0.5"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    PROFILE: ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}

# Path of a file within a crate: without characters that a shell or another system interprets.
_PART = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9_.-]+"
MEMBER = re.compile(rf"{_PART}(?:/{_PART})*")
BUNDLE_FILE = re.compile(rf"{BUNDLES}([a-z][a-z0-9-]*)/([A-Za-z0-9_.-]+)/([^/]+)")
