"""`thinwire boards`: list physical boards with their last trials; `boards check`: test them."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from hil.base.documents import read_json
from hil.base.errors import InputError, ThinwireError
from hil.bundle import verify
from hil.commands.options import aligned
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.system.progress import Bar
from hil.testbeds import runner
from hil.testbeds.hardware import last_run, places
from hil.testbeds.hardware.testbed import HardwareTestbed

MESSAGES = 100
SECONDS = 100.0
DRIFT_LIMIT_PPM = 100.0  # radio crystals drift less

EXAMPLES = """\
Examples:
  thinwire boards
  thinwire boards check
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    check = actions.add_parser(
        "check", help="flash and boot each board, check Wi-Fi and clock, send 100 messages"
    )
    check.add_argument("names", nargs="*", metavar="NAME", help="only these boards")
    check.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="S", help="time for the messages"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _state(place: places.Place) -> str:
    if not place.address:
        return "no line"
    if place.holder:
        return "left behind" if places.is_dead(place.holder) else "in use"
    return "free"


def _wrong(place: places.Place, last: dict[str, object]) -> str:
    """Return what is wrong with a board, judging from labgrid and its last trial."""
    if not place.address:
        return "host: exporter gone"
    if "chip" not in place.tags:
        return "labgrid place has no tag 'chip'"
    if last.get("trial") and not last.get("outcome") and _state(place) != "in use":
        return "host: power cut"
    fault = last.get("fault")
    return f"{fault['owner']}: {fault['name']}" if isinstance(fault, dict) and fault else ""


def _list(as_json: bool) -> int:
    """Print the boards; return 1 if something is wrong with one."""
    rows = [("board", "state", "power", "chip", "firmware", "last trial", "outcome", "wrong")]
    for place in places.every():
        last = last_run.read(place.name)
        rows.append(
            (
                place.name,
                _state(place),
                place.power or "-",
                place.tags.get("chip", "-"),
                str(last.get("image", ""))[:8] or "-",
                str(last.get("trial", "-")),
                str(last.get("outcome", "-") or "-"),
                _wrong(place, last) or "-",
            )
        )
    if len(rows) == 1:
        raise InputError(
            "boards", "", f"labgrid at {places.coordinator()} has no places", "see docs/hardware.md"
        )
    wrong = int(any(row[-1] != "-" for row in rows[1:]))
    if as_json:
        print(json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]], indent=1))
        return wrong
    print("\n".join(aligned(rows)))
    return wrong


def _trial(seconds: float) -> Trial:
    given = {
        "mode": "mqtt-qos1",
        "payload_bytes": 30,
        "interval_ms": max(1, round(seconds * 1000 / MESSAGES)),
        "messages": MESSAGES,
        "link": "netem",
        "delay_ms": 0,
        "jitter_ms": 0,
        "loss_pct": 0,
    }
    return Trial(
        "check", {"mode": "mqtt-qos1"}, 1, effective(given, "check"), "hardware", "esp8266"
    )


def _check_one(name: str, seconds: float) -> str:
    """Run the check on one board, and describe the result in one line.

    Raises:
        ThinwireError: the check failed.
    """
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Bar(seconds) as bar:
        done = runner.run(
            _trial(seconds),
            HardwareTestbed(name, anew=True),
            Path(folder),
            progress=lambda gone_s: bar.show(gone_s, name),
        )
        lab = read_json(done.folder / "lab.json", "run the check again")
        if done.outcome != "ok":
            raise InputError(
                name,
                str(lab.get("fault", {}).get("owner", "")),
                done.reason,
                "see docs/hardware.md",
            )
        found = verify.check(done.folder)
    clock = lab["board"]["clock"]
    drift = clock.get("drift_ppm")
    if drift is not None and abs(drift) > DRIFT_LIMIT_PPM:
        raise InputError(name, "board", f"its clock drifts by {drift:g} ppm", "replace it")
    clock_text = "not measured" if drift is None else f"{drift:+g} ppm"
    return (
        f"flashed, booted, joined the network, {found.acknowledged} of {MESSAGES} messages"
        f" acknowledged, clock {clock_text} ({time.monotonic() - begun:.0f} s)"
    )


def _check(names: list[str], seconds: float) -> int:
    """Check boards; return 1 if one failed."""
    status = 0
    for name in names or [place.name for place in places.every()]:
        try:
            print(f"{name}: {_check_one(name, seconds)}", flush=True)
        except ThinwireError as error:
            print(f"{name}: FAILED: {error}", flush=True)
            status = 1
    return status


def run(arguments: argparse.Namespace) -> int:
    """Return 0, or 1 if something is wrong with a board."""
    if arguments.action == "check":
        return _check(arguments.names, arguments.seconds)
    return _list(arguments.json)
