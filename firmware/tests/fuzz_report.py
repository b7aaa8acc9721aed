"""What fuzzing came to: fuzz_report.py BUILD_DIRECTORY...

A line for each fuzzer that has run there (fuzz.sh): the executions of its last run, the seconds
that it took and those of a processor, which it may have shared, the inputs in its corpus, and what
of its parser's lines and branches they reach, by llvm-cov and its twin: NAME-coverage (cmake
--target coverage), of a simulator's fuzzer the one in build/sim-coverage. Exit status 2: a program
or tool is missing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_CONFIG = r"config/src/\w+\.cc"
_FUZZ = Path(__file__).resolve().parent / "fuzz"
_SIMULATORS = _FUZZ.parents[2] / "build/sim-coverage"
# The files that a fuzzer is about; what else it runs through is not counted.
PARSERS = {
    "air-fuzz_config": rf"{_CONFIG}|air/src/config_reader\.cc",
    "air-fuzz_frames": r"air/src/"
    r"(access_point|burst|cell|ethernet|management|medium|modem_sleep|station)\.cc",
    "fuzz_amqp": r"amqp/amqp\w*\.c",
    "fuzz_coap_client": r"coap/coap(_client|_message)?\.c",
    "fuzz_oscore": r"oscore/oscore(_message|_rederive)?\.c",
    "fuzz_coap_server": r"coap/coap(_server|_message)?\.c",
    "fuzz_config": r"core/config\.c",
    "fuzz_http_client": r"http/http(_client|_parser|_token)?\.c",
    "fuzz_http_server": r"http/http(_server|_parser|_token)?\.c",
    "fuzz_resumption": r"secure/resumption\w*\.c",
    "fuzz_mqtt": r"mqtt/(mqtt|mqtt_parser|topic_name)\.c",
    "fuzz_mqtt5": r"mqtt5/mqtt5\w*\.c",
    "fuzz_mqttsn": r"mqttsn/mqttsn\w*\.c",
    "fuzz_raw_tcp": r"raw/raw_(tcp|header)\.c",
    "fuzz_raw_udp": r"raw/raw_(udp|header)\.c",
    "fuzz_secure": r"secure/\w+\.c|mbedtls/library/(ssl_\w+|x509\w*|asn1parse|pk\w*)\.c",
    "fuzz_stack": r"app/app\w*\.c|net/lwip_\w+\.c"
    r"|lwip/src/core/(tcp_in|tcp|udp|ipv4/(ip4|icmp|etharp))\.c",
    "fuzz_websocket": r"websocket/websocket\w*\.c",
    "lx106-fuzz_inputs": r"lx106/src/\w+\.cc",
    "nbiot-fuzz_config": rf"{_CONFIG}|nbiot/src/config\.cc",
    "wire-fuzz_config": rf"{_CONFIG}|wire/src/config_reader\.cc",
    "wire-fuzz_frames": r"wire/src/(frame|nat|packets|wire)\.cc",
}


def executions(log: Path) -> int:
    """How often the fuzzer ran, by its log; 0 without one."""
    text = log.read_text(errors="replace") if log.exists() else ""
    found = re.search(r"^stat::number_of_executed_units: *(\d+)", text, re.M)
    return int(found[1]) if found else 0


def seconds(log: Path) -> int | None:
    """How long the fuzzer ran, by its log; None if it did not end by itself."""
    text = log.read_text(errors="replace") if log.exists() else ""
    found = re.search(r"^Done \d+ runs in (\d+) second", text, re.M)
    return int(found[1]) if found else None


def processor_seconds(log: Path) -> int | None:
    """How long a processor worked for the fuzzer, by its log; None if that does not say."""
    text = log.read_text(errors="replace") if log.exists() else ""
    found = re.findall(r"^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$", text, re.M)
    if not found:
        return None
    user_min, user_s, system_min, system_s = map(float, found[-1])
    return round(60 * (user_min + system_min) + user_s + system_s)


def coverage(program: Path, corpora: list[Path], files: str) -> dict[str, float]:
    """Percent of the lines and branches of the files that the corpora reach."""
    with tempfile.TemporaryDirectory() as name:
        raw, profile = Path(name) / "raw", Path(name) / "profile"
        environment = os.environ | {"LLVM_PROFILE_FILE": str(raw)}
        folders = [str(corpus) for corpus in corpora if corpus.is_dir()]
        subprocess.run(
            [str(program), "-runs=0", *folders], env=environment, check=True, capture_output=True
        )
        subprocess.run(["llvm-profdata", "merge", "-o", profile, raw], check=True)
        command = ["llvm-cov", "export", "-summary-only", f"-instr-profile={profile}", program]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    count: Counter[str] = Counter()
    for file in json.loads(done.stdout)["data"][0]["files"]:
        if re.search(f"({files})$", file["filename"]):
            for kind in ("lines", "branches"):
                count[kind] += file["summary"][kind]["count"]
                count[f"{kind} covered"] += file["summary"][kind]["covered"]
    return {kind: 100 * count[f"{kind} covered"] / count[kind] for kind in ("lines", "branches")}


def row(log: Path) -> list[str]:
    """The cells of a fuzzer's line."""
    name, build = log.stem, log.parent
    corpora = [build / "corpus" / name, _FUZZ / "corpus" / name]
    cells = [name.replace("fuzz_", ""), f"{executions(log):,}"]
    cells += [str(seconds(log) or ""), str(processor_seconds(log) or "")]
    cells.append(str(sum(len(list(corpus.glob("*"))) for corpus in corpora)))
    folder, _, fuzzer = name.partition("-")
    twin = _SIMULATORS / folder / name if fuzzer else build / f"{name}-coverage"
    reached = coverage(twin, corpora, PARSERS[name])
    return [*cells, *(f"{reached[kind]:.1f} %" for kind in ("lines", "branches"))]


def main() -> int:
    """Print the table."""
    logs = [log for build in sys.argv[1:] for log in sorted(Path(build).glob("*fuzz_*.log"))]
    if not logs:
        print("thinwire: error: fuzz_report.py: no fuzzer ran there; `make fuzz`", file=sys.stderr)
        return 2
    print("| parser | executions | seconds | of a processor | inputs kept | lines | branches |")
    print("|---|---|---|---|---|---|---|")
    try:
        for log in logs:
            print("| " + " | ".join(row(log)) + " |", flush=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"thinwire: error: fuzz_report.py: {error}; run `make fuzz`", file=sys.stderr)
        return 2
    print(f"| all | {sum(executions(log) for log in logs):,} | | | | | |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
