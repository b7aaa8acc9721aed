"""Search for faults that break each of our engines: `python -m hil.selfcheck.hunts [NAME...]`.

Prints CSV, a row for each client: a search by all processors, with everything that it confirms and
shrinks. NAME is a mode (docs/metrics.md), which runs on the LX106, a language of examples/, or a
folder with a thinwire.yaml; without one, every mode. With --out the searches and their results
stay, and the same command goes on after a stop.

Exit status 1 if a client could not be searched; its reason is on standard error. 130 after SIGINT
or SIGTERM: the rows of the clients before are complete.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

from hil import cli
from hil.base.errors import LabError, ThinwireError
from hil.commands import example, tries
from hil.design import parameters, protocols, tryfile
from hil.selfcheck import measured
from hil.system import scratch

MINUTES = 10
STOPPED = 130  # exit status after SIGINT or SIGTERM
HEAD = (
    *("client", "virtual s", "schedules", "per h", "features"),
    *("instructions", "finds"),
    *("not in time", "vary", "failed", "minutes"),
    *("CPU s", "load", "what was found", "commit"),
)
_ENGINE = """\
device: {{engine: {mode}}}
parameters: {parameters}
duration_s: 50
expect: {expect}
"""
# Modes that repeat a message until it is acknowledged, so none may get lost.
RELIABLE = (
    "mqtt-qos1",
    "mqtt-qos2",
    "mqtt5-qos1",
    "mqtt5-qos2",
    "mqttsn-qos1",
    "mqttsn-qos2",
    "coap-con",
    "oscore-con",
    "amqp-confirms",
)
# What they promise that with, where it applies. With a clean session, a message that is open when
# the connection ends may be lost (MQTT 3.1.1, 3.1.2.4; MQTT 5, 4.1). With numbers that begin again,
# messages of OSCORE are refused as replays (RFC 8613, 7.4).
_KEPT = {"clean_session": False, "rederive": True}


def client(name: str, folder: Path) -> Path:
    """Return the folder of a client, made below `folder` unless the name is that of a folder."""
    if Path(name, tryfile.FILE).is_file():
        return Path(name)
    target = folder / name
    if (target / tryfile.FILE).is_file():
        return target
    if name not in protocols.modes():
        example.create(target, name)
        return target
    target.mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = {"payload_bytes": 30, "interval_ms": 500}
    expect = "{outcome_ok: 1}"
    if name in RELIABLE:
        protocol = {"protocol": protocols.modes()[name][0].name}
        given |= {key: _KEPT[key] for key in _KEPT if parameters.applies(key, protocol)}
        expect = "{delivered: 100 %}"
    text = _ENGINE.format(mode=name, expect=expect, parameters=json.dumps(given))
    (target / tryfile.FILE).write_text(text, encoding="utf-8")
    return target


def _hunted(folder: Path, minutes: float, out: Path) -> dict[str, Any]:
    """Return the results of a search of so many minutes in all, with `cpu_s` of its processes.
    What an earlier run has searched counts.

    Raises:
        LabError: it failed.
        KeyboardInterrupt: it was stopped.
    """
    known = out / "results.json"
    found = json.loads(known.read_text(encoding="utf-8")) if known.is_file() else {}
    left_s = minutes * 60 - found.get("ran_s", 0.0)
    if left_s < 1:
        return dict(found)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["hunt", str(folder), "--for", f"{left_s:.0f}s", "--out", str(out / "hunt"), "--json"]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = cli.main(words)
    if status == STOPPED:
        raise KeyboardInterrupt
    if status not in {0, 1}:
        raise LabError(f"{folder.name}: exit status {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    results = dict(json.loads(printed.getvalue())) | {"cpu_s": found.get("cpu_s", 0.0) + cpu_s}
    known.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return results


def row(name: str, minutes: float, out: Path) -> list[str]:
    """Return the fields of one client's row.

    Raises:
        ThinwireError: it cannot be searched.
    """
    folder = client(name, out)
    results = out / folder.name / tries.OUT / "night"
    results.mkdir(parents=True, exist_ok=True)
    found = _hunted(folder, minutes, results)
    lists = ("finds", "unsteady", "lab_failures")
    many = {key: str(len(found[key])) for key in lists}
    each_s = found["cpu_s"] / max(1, found["schedules"])
    what = [
        f"{one['expected']} by {' and '.join(fault['kind'] for fault in one['faults'])}"
        for one in found["finds"]
    ]
    return [
        folder.name,
        str(tryfile.read(folder).parameters["duration_s"]),
        *(f"{found[key]:.0f}" for key in ("schedules", "schedules_per_h", "features")),
        str(found["instructions"] or ""),
        many["finds"],
        str(found["unsettled"]),
        many["unsteady"],
        many["lab_failures"],
        f"{found['ran_s'] / 60:.1f}",
        f"{each_s:.1f}",
        f"{os.getloadavg()[0]:.0f}",
        "; ".join(what),
        measured.commit(),
    ]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m hil.selfcheck.hunts", description=__doc__)
    parser.add_argument("name", nargs="*", default=[*protocols.modes()], help="what is searched")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for each client")
    parser.add_argument("--out", type=Path, help="folder of clients and results; else none stays")
    given = parser.parse_args()
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(HEAD)
    status = 0
    with scratch.folder() as folder:
        for name in given.name:
            try:
                rows.writerow(row(name, given.minutes, given.out or folder))
                sys.stdout.flush()
            except ThinwireError as error:  # the night goes on with the next one
                print(f"{name}: {error}", file=sys.stderr)
                status = 1
            except KeyboardInterrupt:
                return STOPPED
    return status


if __name__ == "__main__":
    sys.exit(main())
