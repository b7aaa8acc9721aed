"""The promises of the machine `uml`: these boot it, for trials of a virtual second or two."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil import repeat, runner
from hil.design.parameters import effective
from hil.design.studies import Trial, nonce
from hil.errors import Accident, LabError
from hil.machine import flavours, image, machines
from hil.machine.uml import cpus, kernel, run
from hil.machine.uml.probe import Probe
from hil.rig.boards import config
from hil.rig.order import Order
from hil.system.progress import in_silence

pytestmark = pytest.mark.lab

MQTT = repeat.TRIAL | {"duration_s": 2}
CELL = {key: value for key, value in MQTT.items() if not key.endswith(("_pct", "delay_ms"))} | {
    "link": "air",
    "wifi_standard": "g",
    "modem_sleep": True,
    "background_profile": "bulk",
    "background_stations": 3,
}
CELL.pop("jitter_ms")


@pytest.fixture(scope="module", autouse=True)
def runs_here() -> None:
    if why := kernel.why_not():
        pytest.fail(why)


@pytest.fixture(scope="module")
def made() -> image.Image:
    return machines.Uml().prepare(flavours.COMMON)


def order(parameters: dict[str, object], seed: int = 1) -> dict[str, bytes]:
    document = Trial("umltest", {}, seed, effective(parameters, "umltest")).document(
        {"board": "lx106", "sha256": "0" * 64}, {}
    )
    mark = nonce(document)
    words = config.words(document, mark)
    return Order(document, mark, words, runner.FIRMWARE["lx106"]).files()


def results(
    made: image.Image, folder: Path, parameters: dict[str, object] = MQTT, mode: str = "auto"
) -> dict[str, bytes]:
    folder.mkdir()
    found = run.run(made, order(parameters), folder, 60, in_silence, mode=mode)
    report = json.loads(found["report.json"])
    assert report["outcome"] == "ok", report["reason"]
    return found


def sums(found: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}


@pytest.fixture(scope="module")
def quiet(made: image.Image, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a trial gives, to compare with."""
    return sums(results(made, tmp_path_factory.mktemp("quiet") / "trial"))


def test_a_trial_has_results(quiet: dict[str, str]) -> None:
    assert set(quiet) == {"board.jsonl", "server.jsonl", "wire.pcap", "report.json"}


def test_a_busy_host_changes_no_byte(
    made: image.Image, quiet: dict[str, str], tmp_path: Path
) -> None:
    with repeat.busy(2 * (os.cpu_count() or 1)):
        assert sums(results(made, tmp_path / "busy")) == quiet


def test_machines_side_by_side_agree(
    made: image.Image, quiet: dict[str, str], tmp_path: Path
) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda name: sums(results(made, tmp_path / name)), "abcd")
        assert [*found] == [quiet] * 4


def test_machines_that_move_between_cpus_agree(
    made: image.Image, quiet: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    assert sums(results(made, tmp_path / "free")) == quiet


@pytest.mark.parametrize("mode", ["on", "off"], ids=["seccomp", "ptrace"])
def test_how_processes_are_held_changes_no_byte(
    made: image.Image, quiet: dict[str, str], tmp_path: Path, mode: str
) -> None:
    assert sums(results(made, tmp_path / "trial", mode=mode)) == quiet


def test_another_environment_changes_no_byte(
    made: image.Image, quiet: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another TMPDIR, HOME and path, and a hundred further variables."""
    (tmp_path / "memory").mkdir()
    monkeypatch.setattr(kernel, "memory_folder", lambda _: tmp_path / "memory")
    further = {f"VARIABLE_{number}": "x" * 100 for number in range(100)}
    monkeypatch.setattr(
        kernel,
        "surroundings",
        lambda home, memory: {"HOME": str(home), "TMPDIR": str(memory), **further},
    )
    long = tmp_path / ("a folder with a long name, and spaces" * 3)
    long.mkdir()
    assert sums(results(made, long / "trial")) == quiet


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="changes to an ordinary user")
def test_an_ordinary_user_gets_the_same_bytes(
    made: image.Image, quiet: dict[str, str], tmp_path: Path
) -> None:
    place = Path("/var/tmp") / f"thinwire-test-{os.getpid()}"
    place.mkdir()
    try:
        for path in (
            made.archive,
            made.folder / "info.json",
            kernel.FOLDER / "linux",
            kernel.FOLDER / "info.json",
            runner.FIRMWARE["lx106"],
        ):
            shutil.copy(path, place / f"{path.parent.name}-{path.name}")
        os.chown(place, 65534, 65534)
        pid = os.fork()
        if pid == 0:
            _as_nobody(made, place)
        assert os.waitpid(pid, 0)[1] == 0
        assert json.loads((place / "sums").read_text()) == quiet
    finally:
        shutil.rmtree(place)


def _as_nobody(made: image.Image, place: Path) -> None:
    """In a process of its own, which ends here."""
    status = 1
    try:
        here = image.Image(place / made.folder.name)
        wanted = order(MQTT)
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        here.folder.mkdir()
        for name in ("image.cpio", "info.json"):
            (here.folder / name).symlink_to(place / f"{made.folder.name}-{name}")
        kernel.FOLDER = place / "uml"
        kernel.FOLDER.mkdir()
        for name in ("linux", "info.json"):
            (kernel.FOLDER / name).symlink_to(place / f"uml-{name}")
        (place / "trial").mkdir()
        found = run.run(here, wanted, place / "trial", 60, in_silence)
        (place / "sums").write_text(json.dumps(sums(found)))
        status = 0
    finally:
        os._exit(status)


def test_a_lesser_processor_changes_no_byte(
    made: image.Image, quiet: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as the C library can be told that a feature is not there."""
    masked = ",".join(f"-{name}" for name in ("AVX", "BMI2", "ERMS", "FSRM", "MOVBE", "SSE4_2"))
    monkeypatch.setattr(kernel, "_TUNABLES", f"{kernel._TUNABLES},{masked}")
    assert sums(results(made, tmp_path / "lesser")) == quiet


def test_another_seed_is_another_trial(
    made: image.Image, quiet: dict[str, str], tmp_path: Path
) -> None:
    found = run.run(made, order(MQTT, seed=2), tmp_path, 60, in_silence)
    assert all(sums(found)[name] != quiet[name] for name in ("wire.pcap", "board.jsonl"))


def test_the_cell_repeats(made: image.Image, tmp_path: Path) -> None:
    one, two = (sums(results(made, tmp_path / name, CELL)) for name in "ab")
    assert one == two and "air.pcapng" in one


def test_the_boards_clock_does_not_drift(made: image.Image, tmp_path: Path) -> None:
    """A minute of messages: the board sends on the grid of the laboratory's clock."""
    calm = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 60}
    found = results(made, tmp_path / "trial", calm)
    received = [json.loads(line) for line in found["server.jsonl"].splitlines()]
    sent = [json.loads(line) for line in found["board.jsonl"].splitlines()]
    clocks = {line["seq"]: line["t"] / 1e6 for line in sent if line["ev"] == "sent"}
    apart = [line["t"] - clocks[line["seq"]] for line in received if line["ev"] == "received"]
    assert len(apart) == 600
    assert max(apart) - min(apart) < 100e-6


def test_no_round_trip_is_shorter_than_the_link(made: image.Image, tmp_path: Path) -> None:
    calm = MQTT | {"jitter_ms": 0, "loss_pct": 0, "duration_s": 5}
    lines = results(made, tmp_path / "trial", calm)["board.jsonl"].splitlines()
    said = [json.loads(line) for line in lines]
    began = {line["seq"]: line["t"] for line in said if line["ev"] == "sent"}
    trips = [line["t"] - began[line["seq"]] for line in said if line["ev"] == "acked"]
    assert len(trips) == 50 and min(trips) >= 4000


# ---- what goes wrong ----


def first_process(code: str) -> Callable[..., list[str]]:
    """Command lines with other Python than the laboratory's as the first process."""
    usual = kernel.words

    def words(*arguments: object, **more: object) -> list[str]:
        found = usual(*arguments, **more)  # type: ignore[arg-type]
        program = f"exec(bytes.fromhex('{code.encode().hex()}').decode())"
        return [*found[: found.index("--")], "--", "-SBc", program]

    return words


def test_who_spins_is_named_within_seconds(
    made: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "words", first_process("while True: pass"))
    started = time.monotonic()
    report = json.loads(run.run(made, order(MQTT), tmp_path, 60, in_silence)["report.json"])
    assert report["outcome"] == "failed"
    assert "'python3' inside the machine computes without a system call" in report["reason"]
    assert time.monotonic() - started < 15  # 5 where nobody else wants the processor


def test_who_spins_on_a_system_call_lets_time_pass(
    made: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os, time\nend = time.time() + 0.1\nwhile time.time() < end: os.getppid()"
    monkeypatch.setattr(kernel, "words", first_process(code))
    with pytest.raises(LabError, match="without a result"):  # it ended
        run.run(made, order(MQTT), tmp_path, 60, in_silence)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os; os._exit(3)", "Attempted to kill init"),
        ("hoard = []\nwhile True: hoard.append(bytearray(1 << 20))", "without a result.*memory"),
        ("raise SystemExit('goodbye')", "goodbye|Attempted to kill init"),
    ],
    ids=["dies", "fills-memory", "ends"],
)
def test_a_machine_without_a_result_says_why(
    made: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    monkeypatch.setattr(kernel, "words", first_process(code))
    with pytest.raises(LabError, match=words):
        run.run(made, order(MQTT), tmp_path, 60, in_silence)


def test_a_machine_that_is_not_done_in_time_is_told(made: image.Image, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="not done after 1 s"):
        run.run(made, order(MQTT | {"duration_s": 86400}), tmp_path, 1, in_silence)
    assert not processes_in(tmp_path)


def processes_in(folder: Path) -> list[int]:
    """Processes whose working folder is `folder`."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if place.readlink() == folder:
                found.append(int(place.parent.name))
    return found


@contextlib.contextmanager
def long_trial(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process that runs a day in a machine."""
    code = (
        "import sys; from pathlib import Path; from hil.tests import test_uml as t; "
        "from hil.machine.uml import run; from hil.machine import machines, flavours; "
        "run.run(machines.Uml().prepare(flavours.COMMON), t.order(t.MQTT | {'duration_s': 86400}),"
        " Path(sys.argv[1]), 600, t.in_silence)"
    )
    with subprocess.Popen([sys.executable, "-c", code, folder], stderr=subprocess.PIPE) as child:
        deadline = time.monotonic() + 60
        while len(processes_in(folder)) < 3:
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        try:
            yield child
        finally:
            child.kill()


def test_a_killed_starter_leaves_nothing(made: image.Image, tmp_path: Path) -> None:
    with long_trial(tmp_path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
        deadline = time.monotonic() + 10
        while processes_in(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not processes_in(tmp_path)


def test_a_killed_machine_is_an_accident(made: image.Image, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        wanted = order(MQTT | {"duration_s": 86400})
        running = pool.submit(run.run, made, wanted, tmp_path, 600, in_silence)
        deadline = time.monotonic() + 30
        while len(found := processes_in(tmp_path)) < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        os.kill(min(found), signal.SIGKILL)
        with pytest.raises(Accident, match="SIGKILL"):
            running.result()
    assert not processes_in(tmp_path)


def test_progress_is_virtual_time(
    made: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_REPORT_EVERY_S", 0.0)
    monkeypatch.setattr(run, "_LOOK_S", 0.05)
    told: list[int] = []
    run.run(made, order(MQTT | {"duration_s": 20}), tmp_path, 60, told.append)
    assert told == sorted(told) and 10 <= told[-1] < 60


def test_each_machine_has_a_seat_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "_NAME", f"\0thinwire-test{os.getpid()}-{{}}-{{}}")
    allowed = sorted(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(cpus.seat(2 * len(allowed))) for _ in range(2 * len(allowed))]
    assert sorted(taken) == sorted(allowed * 2)


def test_a_process_that_is_gone_has_no_time() -> None:
    assert Probe(2**22, {"time_travel_time": 0}).virtual_ns() is None
