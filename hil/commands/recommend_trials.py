"""Trials for a question to `thinwire ask`: the nearest existing ones, and a new study of it."""

from __future__ import annotations

import copy
import math
from typing import Any

import yaml

from hil.base.errors import InputError
from hil.commands import carried
from hil.commands.ranking import Row
from hil.commands.recommend import Question, fitting


def nearest_trial(mode: dict[str, Any], question: Question) -> dict[str, Any]:
    """Return the trial of a mode whose condition is closest to the question."""

    def distance(trial: dict[str, Any]) -> tuple[float, str]:
        strange = 10.0 * (trial["load"] != question.load)
        strange += 10.0 * (trial["sleep"] != (question.sleep != "awake"))
        apart = abs(math.log10(trial["interval"] / question.interval))
        apart += abs(math.log10(trial["payload"] / question.payload))
        return strange + apart, trial["trial"]

    return min(mode["measured"], key=distance)


def commands(document: dict[str, Any], question: Question, rows: list[Row]) -> list[str]:
    """Return commands that repeat the nearest trials of the best three modes."""
    by_name = {mode["name"]: mode for mode in document["modes"]}
    best = [row for row in rows if not row.baseline][:3] or rows[:3]
    nearest = [nearest_trial(by_name[row.mode], question) for row in best]
    names = [(trial["study"], trial["trial"]) for trial in nearest]
    return [
        carried.marked(f"thinwire trial run {study} --trial {trial} --out /tmp/again", study, trial)
        for study, trial in names
    ]


def study_text(document: dict[str, Any], question: Question, name: str) -> str:
    """Return the YAML text of a study of this question: five repetitions of each mode."""
    load = next((one for one in document["loads"] if one["name"] == question.load), None)
    if load is None:
        raise InputError("--load", question.load, "was not measured", "write a study of your own")
    modes = [mode["name"] for mode in fitting(document, question)]
    level = {
        "mode": modes,
        "payload_bytes": [round(question.payload)],
        "interval_ms": [round(question.interval * 1000)],
        "modem_sleep": [question.sleep != "awake"],
        "messages": [20],
        **{key: [value] for key, value in load["parameters"].items()},
    }
    block = {"repetitions": 5, "blocks": [level]}
    study = {
        "study": name,
        "title": f"{question.payload:g} bytes every {question.interval:g} s",
        "question": "Which protocol and mode suits this device?",
        "constants": {
            "role": "publish",
            "nagle": False,
            "keepalive_s": 60,
            "link": "air",
            "wifi_standard": "n",
        },
        "profiles": {"quick": block, "full": copy.deepcopy(block)},
    }
    return yaml.safe_dump(study, sort_keys=False, default_flow_style=None, width=100)
