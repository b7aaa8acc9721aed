# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A study and one of its trials
#
# Five lines load the metrics of all trials of a study, and one bundle.

# %%
import csv
import json
from pathlib import Path
from statistics import median

STUDY = "smoke"

# %%
metrics = list(csv.DictReader(Path(f"results/metrics/{STUDY}.csv").read_text().splitlines()))
folder = min(path.parent for path in Path("data/raw", STUDY).glob("*/trial.json"))
trial = json.loads((folder / "trial.json").read_text())
lab = json.loads((folder / "lab.json").read_text())
board = [json.loads(line) for line in (folder / "board.jsonl").read_text().splitlines()]

# %% [markdown]
# Metrics are long: a row for each trial and metric, with its unit and the number of values behind
# it (`docs/metrics.md` defines them).

# %%
SHOWN = ("bytes_per_message", "rtt_median_ms", "delivered")
table: dict[str, dict[str, float]] = {}
for row in metrics:
    if row["metric"] in SHOWN:
        table.setdefault(row["trial"], {})[row["metric"]] = float(row["value"])
for name, values in table.items():
    print(name, *(f"{metric} {values[metric]:g}" for metric in SHOWN))

# %% [markdown]
# A bundle has the trial's design (`trial`), how it went (`lab`), and the logs of board and servers,
# a JSON object a line. Its capture is `wire.pcapng.gz`: `thinwire analyze` measures it, Wireshark
# opens it.

# %%
trips_us = [line["rtt_us"] for line in board if line["ev"] == "acked"]
print(f"{trial['trial']} ({lab['outcome']}, seed {trial['seed']}):")
print(f"the median of {len(trips_us)} round trips is {median(trips_us) / 1000:.3f} ms")
