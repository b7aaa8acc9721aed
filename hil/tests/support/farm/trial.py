"""Run a trial on a board of the farm, as a process that a test may kill:

    python -m hil.tests.support.farm.trial PLACE IMAGE OUT MESSAGES [BACKGROUND]

Its outcome is a line of JSON: outcome, fault, owner, reason, and repeated, the fault after which it
was tried again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hil.base.documents import read_json
from hil.base.errors import InputError, ThinwireError
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.rig import rig
from hil.rig.boards import esp8266
from hil.rig.faults import Fault, owner
from hil.rig.links import occupancy
from hil.testbeds import runner
from hil.testbeds.hardware import power
from hil.testbeds.hardware.testbed import HardwareTestbed


def trial(messages: int, background: dict[str, Any] | None = None) -> Trial:
    """With the parameters `background`, or none."""
    given: dict[str, Any] = {
        "mode": "mqtt-qos1",
        "payload_bytes": 30,
        "interval_ms": 100,
        "messages": messages,
    }
    if background:
        given |= {"link": "air", **background}
    else:
        given |= {"link": "netem", "delay_ms": 0, "jitter_ms": 0, "loss_pct": 0}
    return Trial("farm", {"mode": "mqtt-qos1"}, 1, effective(given, "farm"), "hardware", "esp8266")


def outcome(place: str, image: Path, out: Path, asked: Trial) -> dict[str, str]:
    """What came of a trial: `outcome` is that of its bundle, or none where there is no bundle."""
    runner.FIRMWARE["esp8266"] = image
    try:
        done = runner.run(asked, HardwareTestbed(place), out)
    except Fault as fault:
        name, reason = fault.name, str(fault)
    except InputError as error:
        if "No space left" not in str(error):
            raise
        name, reason = "disk full", str(error)
    except ThinwireError as error:
        name, reason = "server failed", str(error)
    else:
        lab = read_json(done.folder / "lab.json", "")
        found, board = lab.get("fault", {}), lab["board"]
        return {
            "outcome": done.outcome,
            "fault": found.get("name", ""),
            "owner": found.get("owner", ""),
            "reason": done.reason,
            "repeated": board.get("tried_again_after", "")
            or ("foreign traffic" if board["tries"] > 1 else ""),
        }
    return {
        "outcome": "none",
        "fault": name,
        "owner": owner(name),
        "reason": reason,
        "repeated": "",
    }


if __name__ == "__main__":
    # A board without silicon is in its network at once; the host of a test may be late.
    esp8266.READY_S, esp8266.BOOT_S, esp8266.UP_S, esp8266.CELL_S = 4.0, 8.0, 5.0, 2.0
    rig.LATE_LIMIT_S = 5.0
    power.SWITCHED_S = 40.0
    occupancy.LISTEN_S = 0.5
    words = sys.argv[1:]
    asked = trial(int(words[3]), json.loads(words[4]) if words[4:] else None)
    print(json.dumps(outcome(words[0], Path(words[1]), Path(words[2]), asked)))
