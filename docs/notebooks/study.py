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
# A few lines load the metrics of all trials of a study, and one bundle. The study is the first one
# that has been measured here; write another name to see that.

# %%
import csv
import json
from pathlib import Path
from statistics import median

MEASURED = sorted(path.stem for path in Path("results/metrics").glob("*.csv"))
STUDY = next(name for name in MEASURED if Path("data/raw", name).is_dir())

# %%
metrics = list(csv.DictReader(Path(f"results/metrics/{STUDY}.csv").read_text().splitlines()))


def read_log(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "board.jsonl").read_text().splitlines()]


# the first trial in which messages were acknowledged, or the first one
folders = sorted(path.parent for path in Path("data/raw", STUDY).glob("*/trial.json"))
acknowledged = (one for one in folders if any(line["ev"] == "acked" for line in read_log(one)))
folder = next(acknowledged, folders[0])
trial = json.loads((folder / "trial.json").read_text())
lab = json.loads((folder / "lab.json").read_text())
board = read_log(folder)

# %% [markdown]
# Metrics are long: a row for each trial and metric, with its unit and the number of values behind
# it (`docs/metrics.md` defines them). A trial lacks those that it says nothing about: without
# acknowledgements there are no round trips.

# %%
SHOWN = ("bytes_per_message", "rtt_median_ms", "delivered")
table: dict[str, dict[str, float]] = {}
for row in metrics:
    if row["metric"] in SHOWN:
        table.setdefault(row["trial"], {})[row["metric"]] = float(row["value"])
for name, values in table.items():
    print(name, *(f"{metric} {values[metric]:g}" for metric in SHOWN if metric in values))

# %% [markdown]
# A bundle has the trial's design (`trial`), how it went (`lab`), and the logs of board and servers,
# a JSON object a line. Its capture is `wire.pcapng.gz`: `thinwire analyze` measures it, Wireshark
# opens it.

# %%
trips_us = [line["rtt_us"] for line in board if line["ev"] == "acked"]
print(f"{trial['trial']} ({lab['outcome']}, seed {trial['seed']}):")
if trips_us:
    print(f"the median of {len(trips_us)} round trips is {median(trips_us) / 1000:.3f} ms")
else:
    print("no message was acknowledged")
