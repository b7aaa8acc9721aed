"""Do clients of the league that set-up can build run before servers of both kinds, and repeat? Is
what a foreign broker passes on recorded?"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from hil.commands import tries, try_results
from hil.design import expectations, league, tryfile
from hil.design.device import PROGRAM, Device
from hil.design.studies import load_study
from hil.design.trials import Trial
from hil.machine.package import package
from hil.machine.uml import kernel
from hil.testbeds import runner

pytestmark = pytest.mark.lab
CONFIGURATION = "listener 1883\nallow_anonymous true\n"
METRICS = (
    "delivered",
    "duplicates",
    "back_after_outage_s",
    "printed_acknowledged",
    "printed_refused",
)


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the packages of two clients."""
    if why := kernel.why_not():
        pytest.fail(why)
    folder, found = tmp_path_factory.mktemp("packages"), {}
    for name in ("libmosquitto", "coap-client"):
        member = league.client(name)
        tries.build(member.path, member.build)
        target = folder / f"{name}.tar"
        part = member.part
        found[name] = package(part.device, member.path.parent, target, part.files, "device")
    return found


def trial(client: str, **levels: Any) -> Trial:
    """Return the trial of the study with a client before its usual server."""
    return next(
        one
        for one in load_study("league").trials("quick")
        if one.point == {"client": client, **levels}
    )


def run(one: Trial, out: Path, **files: Path) -> runner.Done:
    testbed = runner.testbed("virtual", machine="uml")
    testbed.prepare()
    done = runner.run(one, testbed, out, **files)
    assert done.outcome == "ok", done.reason
    return done


def measured(done: runner.Done, client: str) -> dict[str, float | None]:
    wanted = expectations.parse(dict.fromkeys(METRICS, ">= 0"), "here", METRICS)
    tried = tryfile.read(league.FOLDER / "clients" / client)
    results = try_results.measure(dataclasses.replace(tried, expectations=wanted), [done])
    return {one.expectation.metric: one.worst.value for one in results.verdicts}


@pytest.mark.parametrize("name", ["libmosquitto", "coap-client"])
def test_a_client_delivers_all_in_spite_of_a_restart(
    clients: dict[str, Path], tmp_path: Path, name: str
) -> None:
    one = trial(name, restart_spans_s=[[10, 15]])
    found = measured(run(one, tmp_path, device=clients[name]), name)
    assert (found["delivered"], found["printed_acknowledged"], found["printed_refused"]) == (
        40,
        40,
        0,
    )
    assert found["back_after_outage_s"] > 0


def foreign(folder: Path, configuration: str) -> tuple[Device, Path]:
    """Return mosquitto as a foreign server, and its package."""
    (folder / "broker.conf").write_text(configuration)
    server = Device(PROGRAM, ("mosquitto", "-c", "broker.conf"))
    return server, package(server, folder, folder / "server.tar", [Path("broker.conf")], "server")


def before(server: Device, **levels: Any) -> Trial:
    """Return a trial of libmosquitto before a foreign server."""
    one = trial("libmosquitto", **levels)
    parameters = one.parameters | {"peer": "program", "server_port": 1883}
    return dataclasses.replace(one, parameters=parameters, server=server)


def test_what_a_foreign_broker_passes_on_is_recorded_across_its_restart(
    clients: dict[str, Path], tmp_path: Path
) -> None:
    server, packed = foreign(tmp_path, CONFIGURATION)
    one = before(server, restart_spans_s=[[10, 15]])
    done = run(one, tmp_path, device=clients["libmosquitto"], server=packed)
    lines = (done.folder / "server.jsonl").read_text().splitlines()
    events = [json.loads(line)["ev"] for line in lines]
    found = measured(done, "libmosquitto")
    assert (found["delivered"], found["duplicates"]) == (40, events.count("received") - 40)
    assert events.count("recording") == 1


def test_a_broker_that_refuses_the_recorder_is_measured_by_its_acknowledgements(
    clients: dict[str, Path], tmp_path: Path
) -> None:
    """This one knows the client alone, by its identifier's first letters."""
    server, packed = foreign(tmp_path, CONFIGURATION + "clientid_prefixes b1\n")
    done = run(before(server), tmp_path, device=clients["libmosquitto"], server=packed)
    found = measured(done, "libmosquitto")
    assert (found["delivered"], found["duplicates"]) == (40, None)
    assert '"ev":"received"' not in (done.folder / "server.jsonl").read_text()


def test_two_trials_of_a_client_have_one_digest(clients: dict[str, Path], tmp_path: Path) -> None:
    spans = [[10, 15]]
    one = trial("libmosquitto", restart_spans_s=spans, outage_spans_s=spans)
    sums = [
        (
            run(one, tmp_path / name, device=clients["libmosquitto"]).folder / "SHA256SUMS"
        ).read_bytes()
        for name in ("one", "two")
    ]
    assert sums[0] == sums[1]
