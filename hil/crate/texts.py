"""What a crate says of itself: its README, and the format and meaning of each file."""

from __future__ import annotations

from hil.bundle import store as bundle

FORMATS = {
    ".cff": "application/yaml",
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".gz": "application/gzip",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}
FILES = {
    "air.pcapng.gz": "every frame on the air",
    "board.jsonl": "the device's log",
    "board.out.txt": "what a foreign device printed",
    "devices.jsonl": "the logs of the other devices",
    "lab.json": "outcome, versions and counters of the laboratory",
    "monitor.pcapng.gz": "the device's frames as an adapter heard them",
    "server.jsonl": "the log of servers and load",
    "server.out.txt": "what a foreign server printed",
    "trial.json": "the trial's parameters, seed and firmware",
    "wire.pcapng.gz": "every frame at the server",
    bundle.SUMS: "SHA-256 of the bundle's other files",
}
README = """\
# {title}

Bundles of {count} trials: raw captures, logs and parameters. `ro-crate-metadata.json` describes
each file and has its SHA-256. Licence: {license}. Written by Thinwire {version}.

The analysis, from these bundles to the paper, needs neither laboratory nor boards, only a
checkout of Thinwire {version}:

    make setup
    .venv/bin/snakemake --cores all --config testbed=crate crate=THIS \\
      profile={profile} 'studies=[{studies}]'

THIS is the path of this folder or zip file. `thinwire crate verify THIS` checks every file
and every bundle.
"""
