"""`thinwire cloud up`: run the laboratory's cloud on this host; `cloud token`: issue a token."""

from __future__ import annotations

import argparse
import dataclasses
import json
import signal
import socket
import time
from collections.abc import Mapping
from pathlib import Path

from hil.base.errors import InputError, TrialError
from hil.machine.shipped import IN_WHEEL
from hil.peers.cloud import names, tokens
from hil.peers.cloud.server import AUTH, Cloud, Settings
from hil.system import preloads, processes, scratch, tools

_LOOK_S = 0.5

EXAMPLES = """\
Examples:
  thinwire cloud up --address 127.0.0.1
  thinwire cloud token --device b1
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    up = actions.add_parser("up", help="run the cloud until Ctrl-C")
    usual = Settings()
    up.add_argument(
        "--address",
        default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1; 0.0.0.0 accepts other hosts)",
    )
    for option, port, text in (
        ("--mqtt-port", usual.mqtt_port, "port of MQTT over TLS"),
        ("--https-port", usual.https_port, "port of HTTPS"),
        ("--own-port", usual.own_port, "port within the cloud"),
    ):
        up.add_argument(option, type=int, default=port, metavar="PORT", help=text)
    up.add_argument(
        "--chain-bytes",
        type=int,
        default=usual.chain_bytes,
        metavar="N",
        help="size of the certificate chain",
    )
    up.add_argument(
        "--answer-fields",
        choices=("plain", "cloud"),
        default=usual.answer_fields,
        help="header fields of HTTP answers",
    )
    up.add_argument(
        "--out",
        type=Path,
        default=Path("cloud"),
        metavar="DIR",
        help="folder for ca.pem, which clients trust, and for the log cloud.jsonl, written at exit",
    )
    token = actions.add_parser("token", help="print a device's token, which is valid for an hour")
    token.add_argument(
        "--device", choices=names.DEVICES, default=names.DEVICES[0], help="the device"
    )
    token.add_argument(
        "--algorithm",
        choices=names.ALGORITHMS,
        default=names.ALGORITHMS[0],
        help="how it is signed",
    )
    for action in (up, token):
        action.add_argument("--json", action="store_true", help="print JSON, in one line")


def _settings(arguments: argparse.Namespace) -> Settings:
    keys = [field.name for field in dataclasses.fields(Settings)]
    return Settings(**{key: getattr(arguments, key) for key in keys})


def _facts(settings: Settings, out: Path) -> dict[str, str]:
    """Return what a client of the cloud needs to know, for the first of its devices."""
    device = names.DEVICES[0]
    return {
        "mqtt": f"mqtts://localhost:{settings.mqtt_port}",
        "topic": names.topic(device),
        "client_id": names.client_id(device),
        "https": f"https://localhost:{settings.https_port}{names.path(device)}",
        "device": device,
        "trust": str(out / "ca.pem"),
        "log": str(out / "cloud.jsonl"),
    }


def _instructions(known: Mapping[str, str]) -> str:
    trust, mqtt = known["trust"], known["mqtt"]
    return f"""\
MQTT over TLS   {mqtt.removeprefix("mqtts://")}    topic {known["topic"]}
                client id {known["client_id"]}
HTTPS           {known["https"]}
user            any; password or bearer token: $(thinwire cloud token --device {known["device"]})
trust           {trust}
load            locust -f hil/peers/cloud/locustfile.py --headless -u 1 -t 10s --cafile {trust} \\
                  --protocol mqtt --host {mqtt}
Ctrl-C (or kill) stops it and writes {known["log"]}."""


def _check_ports(settings: Settings) -> None:
    """Check that each port can be bound.

    Raises:
        InputError: one of them is in use, or forbidden.
    """
    for name in ("mqtt_port", "https_port", "own_port"):
        port = getattr(settings, name)
        address = "127.0.0.1" if name == "own_port" else settings.address
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except (OSError, OverflowError) as error:
                problem = f"cannot be used ({getattr(error, 'strerror', None) or error})"
                option = f"--{name.replace('_', '-')}"
                raise InputError(option, str(port), problem, "choose another port") from error


def _up(arguments: argparse.Namespace) -> int:
    if IN_WHEEL:
        problem = "compiles plugins for mosquitto, which a wheel cannot"
        raise InputError("cloud", "up", problem, "run it in a clone of the project")
    for program in ("mosquitto", "nginx"):
        tools.program(program)
    for source in (AUTH, processes.RANDOMNESS):
        preloads.built(source)
    tools.widen_path()
    settings, out = _settings(arguments), arguments.out.absolute()
    _check_ports(settings)
    with scratch.folder() as folder:
        cloud = Cloud("", folder)
        cloud.settings = settings
        try:
            cloud.start()
            out.mkdir(parents=True, exist_ok=True)
            (out / "ca.pem").write_bytes((folder / "ca.pem").read_bytes())
            known = _facts(settings, arguments.out)
            print(json.dumps(known) if arguments.json else _instructions(known), flush=True)
            while not (fault := cloud.problem()):
                time.sleep(_LOOK_S)
            raise InputError("cloud", "", fault, "see its message")
        except TrialError as error:
            raise InputError("cloud", "", str(error), "free its ports, or choose others") from error
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the log must be written
            cloud.stop()
            (out / "cloud.jsonl").write_bytes(cloud.log.read_bytes())
            return 0
        finally:
            cloud.kill()


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "token":
        token = tokens.make(arguments.device, arguments.algorithm, time.time())
        known = {"device": arguments.device, "algorithm": arguments.algorithm, "token": token}
        print(json.dumps(known) if arguments.json else token)
        return 0
    return _up(arguments)
