"""What the workflow's rules compute: trials, batches, files, machines and firmware of each."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from hil import recordings, workflow
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.bundle import store
from hil.design import league
from hil.design.facts import Facts
from hil.testbeds import runner

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))


def plan(*studies, **changed):
    config = {**CONFIG, "studies": list(studies), "recordings": "no", **changed}
    return workflow.plan(config, [ROOT / "config.yaml"], 20)


@pytest.fixture(scope="module")
def security():
    return plan("security")


def of(study, trial):
    return SimpleNamespace(study=study, trial=trial)


def trial_with(plan, study, **facts):
    """The name of the first trial with these facts."""
    return next(
        name
        for name, trial in plan.trials[study].items()
        if all(getattr(trial.facts, key) == value for key, value in facts.items())
    )


def test_batches_hold_each_trial_once_sorted_by_name(security):
    batches = security.batches["security"]
    names = [name for batch in batches.values() for name in batch]
    assert names == sorted(security.trials["security"])
    assert list(batches)[:2] == ["0001", "0002"]
    assert {len(batch) for batch in list(batches.values())[:-1]} == {20}


def test_a_batch_of_one_trial_is_possible(security):
    batches = replace(security, batch_size=1).batches["security"]
    assert len(batches) == len(security.trials["security"])


def test_trials_keep_the_order_of_their_study(security):
    trials = [trial.id for trial in security.studies["security"].trials("quick")]
    assert list(security.trials["security"]) == trials


def test_the_rules_read_all_that_a_bundle_must_have():
    assert set(workflow.BUNDLE) == {*store.FILES, store.SUMS}


@pytest.mark.parametrize(
    ("facts", "image"),
    [
        ({"secured": False}, "thinwire.elf"),
        ({"secured": True, "tls_version": "1.2"}, "thinwire-secure.elf"),
        ({"secured": True, "tls_version": "1.3"}, "thinwire-tls13.elf"),
    ],
)
def test_a_trial_runs_the_firmware_with_its_version_of_tls(security, facts, image):
    name = trial_with(security, "security", **facts)
    assert security.firmware(of("security", name)) == f"build/firmware/lx106/{image}"


def test_a_trial_with_mqtt_5_runs_its_own_image():
    found = plan("topics")
    name = trial_with(found, "topics", protocol="mqtt5")
    assert found.firmware(of("topics", name)) == "build/firmware/lx106/thinwire-mqtt5.elf"


@pytest.mark.parametrize(("version", "addition"), [("1.2", "secure"), ("1.3", "tls13")])
def test_with_tls_mqtt_5_has_images_of_its_own(version, addition):
    image = runner.firmware("lx106", Facts("mqtt5", "air", security="psk", tls_version=version))
    assert image == ROOT / f"build/firmware/lx106/thinwire-mqtt5-{addition}.elf"


def test_a_trial_of_the_league_needs_the_packages_of_its_programs(monkeypatch):
    monkeypatch.setattr(league.shutil, "which", lambda word: word)  # every compiler is here
    found = plan("league", profile="full")
    name = "client-libmosquitto_server_program-aedes_r1_program"
    wildcards = of("league", name)
    assert found.firmware(wildcards) == "build/league/clients/libmosquitto.tar"
    assert found.server(wildcards) == ["build/league/servers/aedes.tar"]
    assert found.server(of("league", "client-lx106-mqtt_r1")) == []


def test_trials_that_cannot_be_built_are_left_out_and_named(monkeypatch):
    monkeypatch.setattr(league.shutil, "which", lambda word: None if word == "go" else word)
    left = plan("league", profile="full")
    clients = {trial.facts.client for trial in left.trials["league"].values()}
    assert "libmosquitto" in clients and not clients & {"paho-go", "go-coap"}
    rows = left.absent_rows(of("league", ""))
    assert rows[0] == "client,server,program"
    assert "go-coap,,go" in rows and "libmosquitto,mochi,go" in rows


def test_only_servers_with_an_image_of_their_own_need_another_machine():
    ufes = plan("ufes")
    machines = {
        trial.facts.protocol: ufes.lab(of("ufes", name))
        for name, trial in ufes.trials["ufes"].items()
    }
    assert machines["amqp"] == "build/lab/amqp.ready"
    assert machines["mqtt"] == "build/lab/current"
    live = replace(ufes, testbed="live")
    name = trial_with(ufes, "ufes", protocol="amqp")
    assert live.lab(of("ufes", name)) == "build/lab/current"


def test_a_cluster_is_asked_for_a_minute_more_than_a_trial_lasts():
    quickstart = plan("quickstart")
    name, trial = next(iter(quickstart.trials["quickstart"].items()))
    assert trial.facts.duration_s == 30
    assert quickstart.minutes(of("quickstart", name)) == 2


def test_the_design_of_a_trial_is_its_parameters(security):
    name, trial = next(iter(security.trials["security"].items()))
    assert json.loads(security.design(of("security", name))) == trial.parameters


def test_one_client_leaves_out_other_loads_and_repetitions():
    kuleuven = plan("kuleuven")
    chosen = kuleuven.one_client("kuleuven")
    facts = [kuleuven.trials["kuleuven"][name].facts for name in chosen]
    assert chosen and all(each.clients == 1 for each in facts)
    assert all("_r1" in name for name in chosen)
    assert len(chosen) < len(kuleuven.trials["kuleuven"])


def test_recordings_of_one_client_are_known_by_their_names(security):
    every = replace(security, recordings=recordings.load())
    chosen = every.recordings_of_one_client
    assert chosen == [
        "mqtt_qos0_pub1",
        "mqtt_qos1_pub1",
        "mqtt_qos2_pub1",
        "coap_1clients",
        "http_1client",
    ]


def test_a_report_reads_tables_of_recordings_only_where_there_are_any():
    without = plan("kuleuven")
    with_all = replace(without, recordings=recordings.load())
    assert "recordings" not in " ".join(without.report_tables("kuleuven").values())
    assert "recordings" in " ".join(with_all.report_tables("kuleuven").values())
    assert (without.recording_metrics, with_all.recording_metrics) == (
        [],
        ["results/metrics/recordings.csv"],
    )


def test_files_are_those_of_every_bundle():
    quickstart = plan("smoke", "quickstart")
    files = quickstart.all_files(["lab.json"])
    count = sum(map(len, quickstart.trials.values()))
    assert len(files) == len(set(files)) == count
    assert all(Path(file).parts[:2] == ("data", "raw") for file in files)
    first = SimpleNamespace(study="quickstart", batch="0001")
    folders = quickstart.batch_folders(first)
    assert quickstart.batch_files(first) == [
        f"{folder}/{name}" for folder in folders for name in workflow.BUNDLE
    ]
    pattern = "results/{study}/{batch}.csv"
    assert quickstart.per_batch(pattern)(first)[0] == "results/quickstart/0001.csv"
    assert quickstart.per_study("{study}.csv") == ["smoke.csv", "quickstart.csv"]


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("dissect", {"capture"}),
        ("claims", {"capture", "study"}),
        ("report", {"capture", "study", "report"}),
    ],
)
def test_a_script_depends_on_its_layer_and_those_below(monkeypatch, name, layers):
    monkeypatch.chdir(ROOT)
    script, *code = workflow.r_script(name)
    assert script == f"workflow/scripts/{name}.R"
    assert {Path(file).parts[2] for file in code if file.startswith("workflow/R/")} == layers
    assert all((ROOT / file).is_file() for file in code)


def test_sources_are_files_and_sorted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.c").mkdir()
    for name in ("b.c", "a.c", "a.h"):
        (tmp_path / name).touch()
    assert workflow.sources("*.h", "*.c") == ["a.c", "a.h", "b.c"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"profile": "fast"}, "config.yaml: profile"),
        ({"testbed": "crate"}, "config.yaml: crate: is empty"),
        ({"studies": ["stacks"]}, "config.yaml: zephyr: a study asks"),
        ({"studies": ["smok"]}, "did you mean 'smoke'?"),
    ],
)
def test_a_configuration_that_is_wrong_is_refused(changed, words):
    with pytest.raises(InputError) as refused:
        plan(**{"studies": ["smoke"], **changed})
    assert words in str(refused.value)
