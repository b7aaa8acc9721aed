"""Autobahn|Testsuite's cases for the WebSocket engine, and for the laboratory's server library.

    autobahn.py OUT.csv [--cases PATTERN ...]

One row a case: agent, case, what it is about, its result and that of its closing handshake, in
Autobahn's words (OK, NON-STRICT, INFORMATIONAL, UNIMPLEMENTED, FAILED). Cases 12 and 13 are about
compression, which neither side offers. Exit status 1: a case failed for the device (what the
library fails is reported); 3: the suite itself did.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import foreign

_ROOT = foreign.HERE.parents[2]
_CLIENT = _ROOT / "build/firmware/host/autobahn-client"
_SUITE = foreign.BUILD / "autobahn"
_PORT = 9001
# Case 9.3.1 is 4 MiB in frames of 64 bytes and an empty last one; the library takes 4096 a message.
_FRAGMENTS = (4 << 20) // 64 + 1
_REPORTS_S = 600
AGENTS = {"device": "fuzzingserver", "websockets": "fuzzingclient"}
FIELDS = ("agent", "case", "about", "behavior", "closing")
GOOD = {"OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED"}


def python2() -> str:
    """Return the interpreter that runs the suite."""
    return os.environ.get("PYTHON2", "python2.7")


def _wait_listens(process: subprocess.Popen[Any], what: str) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if not probe.connect_ex(("127.0.0.1", _PORT)):
                return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"{what} does not listen at port {_PORT}")


def _reports(folder: Path, agent: str) -> dict[str, dict[str, str]]:
    """Return the suite's index of results once every report stands beside it."""
    for _ in range(_REPORTS_S):
        with contextlib.suppress(OSError, ValueError):
            index = json.loads((folder / "index.json").read_text())[agent]
            if all((folder / entry["reportfile"]).exists() for entry in index.values()):
                return index
        time.sleep(1)
    raise RuntimeError(f"the reports of {agent} do not come")


def _suite(mode: str, folder: Path, cases: list[str]) -> subprocess.Popen[Any]:
    """Start the suite in this mode; its reports come to folder/reports."""
    url = f"ws://127.0.0.1:{_PORT}"
    excluded: dict[str, Any] = {"cases": cases, "exclude-cases": [], "exclude-agent-cases": {}}
    settings = {"outdir": str(folder / "reports"), **excluded}
    if mode == "fuzzingserver":
        settings["url"] = url
    else:
        settings["servers"] = [{"agent": "websockets", "url": url}]
    spec = folder / "spec.json"
    spec.write_text(json.dumps(settings))
    words = [python2(), "-m", "autobahntestsuite.wstest", "-m", mode, "-s", str(spec)]
    environment = os.environ | {"PYTHONPATH": str(_SUITE)}
    if mode == "fuzzingserver":
        words += ["--webport", "0"]
    return subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL)


def run(agent: str, cases: list[str]) -> list[dict[str, str]]:
    """Run the cases for one agent; return its rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if AGENTS[agent] == "fuzzingserver":
            second = _suite("fuzzingserver", folder, cases)
        else:
            echo = foreign.HERE / "autobahn_echo.py"
            environment = os.environ | {"WEBSOCKETS_MAX_FRAGMENTS": str(_FRAGMENTS)}
            second = subprocess.Popen([sys.executable, str(echo), str(_PORT)], env=environment)
        try:
            _wait_listens(second, agent)
            if AGENTS[agent] == "fuzzingserver":
                command = [str(_CLIENT), "127.0.0.1", str(_PORT), agent]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            else:
                with _suite("fuzzingclient", folder, cases) as suite:
                    if suite.wait():
                        raise RuntimeError("the fuzzing client failed")
            index = _reports(folder / "reports", agent)
        finally:
            second.kill()
            second.wait()
        rows = []
        for case, result in index.items():
            about = json.loads((folder / "reports" / result["reportfile"]).read_text())
            text = " ".join(about["description"].replace("<br>", " ").split())
            closing = result["behaviorClose"]
            rows.append(
                dict(zip(FIELDS, (agent, case, text, result["behavior"], closing), strict=True))
            )
    return sorted(rows, key=lambda row: [int(part) for part in row["case"].split(".")])


def main() -> int:
    """Run both agents."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", type=Path)
    parser.add_argument("--cases", nargs="+", default=["*"], help="as in 7.*")
    args = parser.parse_args()
    try:
        rows = [row for agent in AGENTS for row in run(agent, args.cases)]
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"thinwire: error: autobahn.py: {error}", file=sys.stderr)
        return 3
    with args.csv.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    bad = [row for row in rows if {row["behavior"], row["closing"]} - GOOD]
    for row in bad:
        print(f"{row['agent']} {row['case']}: {row['behavior']}, closing {row['closing']}")
    return int(any(row["agent"] == "device" for row in bad))


if __name__ == "__main__":
    sys.exit(main())
