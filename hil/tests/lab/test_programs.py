"""Foreign programs as device and server of a trial in the machine `uml`: they run, and repeat; what
they do wrong is an outcome with a reason, and leaves nothing behind."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from hil.bundle import store, verify
from hil.commands import tries
from hil.design import tryfile
from hil.design.device import Device
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.machine.package import package
from hil.machine.uml import kernel
from hil.selfcheck import runtimes
from hil.testbeds import runner
from hil.tests.support.peers import lines

pytestmark = pytest.mark.lab

PROGRAMS = Path(__file__).parents[1] / "support" / "programs"
PARAMETERS = {
    "foreign": True,
    "protocol": "mqtt",
    "duration_s": 10,
}
PATH = {"link": "netem", "delay_ms": 2, "loss_pct": 1}
CELL = {"link": "air", "wifi_standard": "n"}


def run(
    folder: Path,
    device: Device,
    out: Path,
    server: Device | None = None,
    machine: str = "uml",
    **changes: object,
) -> runner.Done:
    """Run a trial with programs of `folder`; check its bundle."""
    if machine == "uml" and (why := kernel.why_not()):
        pytest.fail(why)
    link = {} if "link" in changes else PATH
    parameters = effective(PARAMETERS | link | changes, "test")
    trial = Trial("foreign", {}, 1, parameters, board=device.kind, device=device, server=server)
    done = runner.run(
        trial,
        runner.testbed("virtual", machine=machine),
        out,
        device=package(device, folder, out / "device.tar"),
        server=package(server, PROGRAMS, out / "server.tar") if server else None,
    )
    verify.check(done.folder)
    return done


def repeated(
    out: Path, folder: Path, device: Device, server: Device | None = None, **changes: object
) -> runner.Done:
    """Run a trial twice; it went well, and its bundles are equal."""
    one, two = (run(folder, device, out / name, server, **changes) for name in ("one", "two"))
    assert one.outcome == "ok", one.reason
    assert (one.folder / store.SUMS).read_bytes() == (two.folder / store.SUMS).read_bytes()
    return one


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client of programs/client.c, static and dynamic."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.fail("no C compiler")
    folder = tmp_path_factory.mktemp("clients")
    for name, option in (("static", "-static"), ("dynamic", "-O2")):
        source = PROGRAMS / "client.c"
        subprocess.run([compiler, option, "-o", folder / name, source], check=True)
    return folder


def client(name: str, *more: str) -> Device:
    return Device("program", (f"./{name}", "{server}", "{port}", "5", "1000", *more))


@pytest.mark.parametrize("name", ["static", "dynamic"])
def test_a_program_is_a_device_and_repeats(clients: Path, tmp_path: Path, name: str) -> None:
    done = repeated(tmp_path, clients, client(name))
    said = (done.folder / "board.out.txt").read_text().splitlines()
    assert said == [f"message {number} is acknowledged" for number in range(1, 6)]
    events = [line["ev"] for line in lines(done.folder / "board.jsonl")]
    assert events == ["boot", "up", "end"]
    arrived = [line for line in lines(done.folder / "server.jsonl") if line["ev"] == "received"]
    assert len(arrived) == 5


def test_a_program_is_a_server_and_repeats(clients: Path, tmp_path: Path) -> None:
    server = Device("program", ("./broker.py", "{port}"))
    done = repeated(tmp_path, clients, client("dynamic"), server, peer="program", server_port=1999)
    assert (done.folder / "board.out.txt").read_text().count("is acknowledged") == 5
    assert (done.folder / "server.out.txt").read_text() == "tw/data: 9 bytes\n" * 5


@pytest.mark.parametrize("link", [PATH, CELL], ids=["netem", "air"])
def test_a_program_with_its_own_stack_is_a_device(tmp_path: Path, link: dict[str, object]) -> None:
    words = ("{interface}", "{mac}", "{ip}", "{server}", "{port}", "4")
    device = Device("tap", ("./stack.py", *words))
    done = repeated(tmp_path, PROGRAMS, device, protocol="coap", **link)
    answers = (done.folder / "board.out.txt").read_text().splitlines()
    assert answers == [f"message {number}: 2.04" for number in range(1, 5)]
    arrived = [line for line in lines(done.folder / "server.jsonl") if line["ev"] == "received"]
    assert len(arrived) == 4


FAILURES = {
    "exit": r"^the device ended with status 7: message 1 is acknowledged$",
    "crash": r"^the device was ended by SIGSEGV: message 1 is acknowledged$",
    "file": r"^the device ended with status 2: .*settings\.json: No such file or directory$",
    "fill": r"^the device wrote more than 128 MiB into files$",
    "print": r"^the device printed more than 16 MiB$",
    "fork": r"^the device has 512 processes and threads, which is the limit$",
    "hoard": r"^the device was ended by SIGKILL, perhaps because memory ran out",
}


@pytest.mark.parametrize("misdeed", FAILURES)
def test_a_misdeed_is_a_failed_trial_with_its_reason(
    clients: Path, tmp_path: Path, misdeed: str
) -> None:
    done = run(clients, client("dynamic", misdeed), tmp_path)
    assert done.outcome == "failed"
    assert re.search(FAILURES[misdeed], done.reason), done.reason
    # What happened before it is in the bundle.
    assert (done.folder / "board.out.txt").read_text().startswith("message 1 is acknowledged\n")
    received = [line for line in lines(done.folder / "server.jsonl") if line["ev"] == "received"]
    assert len(received) == 1


@pytest.mark.parametrize("misdeed", ["deaf", "listen", "orphan"])
def test_what_harms_nobody_is_no_failure(clients: Path, tmp_path: Path, misdeed: str) -> None:
    """A program that ignores SIGTERM is killed; the server's port is free in its own network."""
    words = ("./dynamic", "{server}", "{port}", "100", "1000", misdeed)
    done = run(clients, Device("program", words), tmp_path, duration_s=5)
    assert done.outcome == "ok", done.reason
    board = json.loads((done.folder / "lab.json").read_text())["board"]
    killed = {"signal": "SIGKILL", "killed": 1} if misdeed == "deaf" else {"signal": "SIGTERM"}
    assert board == killed
    assert ("listens" in (done.folder / "board.out.txt").read_text()) == (misdeed == "listen")


def test_who_lets_no_time_pass_is_named_with_its_functions(clients: Path, tmp_path: Path) -> None:
    done = run(clients, client("static", "spin"), tmp_path)
    assert done.outcome == "failed"
    assert "'static' inside the machine computes without a system call" in done.reason
    innermost, caller = re.findall(r"(\w+)\+0x[0-9a-f]+ in /device/static", done.reason)[:2]
    assert (innermost, caller) == ("spin_for_ever", "spin")
    assert (done.folder / "board.out.txt").read_text() == "message 1 is acknowledged\n"
    assert json.loads((done.folder / "lab.json").read_text())["capture"]["frames"] > 5


def test_programs_run_in_the_other_machine_too(clients: Path, tmp_path: Path) -> None:
    server = Device("program", ("./broker.py", "{port}"))
    done = run(clients, client("dynamic"), tmp_path, server, machine="qemu", peer="program")
    assert done.outcome == "ok", done.reason
    assert (done.folder / "board.out.txt").read_text().count("is acknowledged") == 5


SERVES = """
import socket
served = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
served.bind(("0.0.0.0", 5683))
while True:
    request, peer = served.recvfrom(2048)
    token = request[4 : 4 + (request[0] & 15)]
    served.sendto(bytes([0x60 | len(token), 69]) + request[2:4] + token + b"\\xff21.5", peer)
"""


def test_a_load_asks_a_device_that_serves(tmp_path: Path) -> None:
    load = {"role": "serve", "clients": 2, "interval_ms": 500, "payload_bytes": 10, "messages": 4}
    device = Device("program", ("python3", "-c", SERVES))
    done = run(tmp_path, device, tmp_path, protocol="coap", loss_pct=0, **load)
    assert done.outcome == "ok", done.reason
    events = [line["ev"] for line in lines(done.folder / "server.jsonl")]
    assert events.count("acked") == 8


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("./broker.py",), r"the server ended with status 1: .*IndexError"),
        (("./broker.py", "4000"), r"does not listen on port 1883: it printed nothing"),
    ],
    ids=["ends", "another-port"],
)
def test_a_server_that_is_not_ready_fails_the_trial(
    clients: Path, tmp_path: Path, command: tuple[str, ...], said: str
) -> None:
    server = Device("program", command)
    done = run(clients, client("static"), tmp_path, server, peer="program")
    assert done.outcome == "failed"
    assert re.search(said, done.reason), done.reason


def test_a_server_is_restarted_with_its_files(clients: Path, tmp_path: Path) -> None:
    code = "import os; print('again' if os.path.exists('state') else 'first', flush=True);"
    words = ("python3", "-c", code + "open('state', 'w'); exec(open('broker.py').read())", "{port}")
    changes = {"peer": "program", "restart_spans_s": [[2, 3]]}
    device, server = Device("program", ("sleep", "6")), Device("program", words)
    done = run(clients, device, tmp_path, server, **changes)
    assert done.outcome == "ok", done.reason
    assert (done.folder / "server.out.txt").read_text() == "first\nagain\n"
    events = [line["ev"] for line in lines(done.folder / "server.jsonl")]
    assert events == ["stopping", "started"]


def test_the_processor_that_the_device_sees_is_recorded(clients: Path, tmp_path: Path) -> None:
    """Where the host can refuse CPUID and RDTSC, both are those of the laboratory."""
    source = PROGRAMS / "processor.c"
    subprocess.run(["cc", "-O1", "-o", clients / "processor", source], check=True)
    done = run(clients, Device("program", ("./processor",)), tmp_path)
    processor = json.loads((done.folder / "lab.json").read_text())["versions"]["processor"]
    said = (done.folder / "board.out.txt").read_text()
    if processor == "masked":
        turns = re.fullmatch(r"Thinwire virtual CPU, (\d+) turns\n", said)
        assert turns and 900 < int(turns[1]) <= 1000  # of 1 us each
    else:
        assert re.fullmatch(r"[0-9a-f]{16}", processor) and "Thinwire" not in said


def test_the_list_of_processors_is_the_laboratorys(clients: Path, tmp_path: Path) -> None:
    done = run(clients, Device("program", ("cat", "/proc/cpuinfo")), tmp_path)
    assert "model name\t: Thinwire virtual CPU\n" in (done.folder / "board.out.txt").read_text()


@pytest.mark.parametrize("runtime", ["c", "python"])
def test_a_program_has_one_digest_under_each_condition(
    clients: Path, tmp_path: Path, runtime: str
) -> None:
    """The static client, and a script: twice undisturbed, and once under each condition."""
    if runtime == "c":
        folder, line = clients, "{program: ./static, arguments: ['{server}', '{port}', '3', '500']}"
        protocol = "mqtt"
    else:
        folder, line = PROGRAMS, "{script: send.py, arguments: [coap, '{server}', '{port}']}"
        protocol = "coap"
    copy = tmp_path / "client"
    shutil.copytree(folder, copy)
    text = f"device: {line}\nprotocol: {protocol}\nlink: {{delay_ms: 2, jitter_ms: 0.5}}\n"
    (copy / tryfile.FILE).write_text(f"{text}duration_s: 9\nexpect: {{delivered: 100 %}}\n")
    made = tries.packages(tryfile.read(copy), tmp_path)["device"]
    folders = itertools.takewhile(Path(tempfile.gettempdir()).__ne__, tmp_path.parents)
    for path in (copy, tmp_path, *folders):  # another user reads the package
        path.chmod(0o755)
    found = runtimes.measure(copy, made, tmp_path, 2)
    assert len({digest for digests in found.values() for digest in digests}) == 1, found
