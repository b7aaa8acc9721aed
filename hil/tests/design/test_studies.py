"""Is a study file expanded to trials, and a wrong one refused with a clear error?"""

import json
from pathlib import Path

import pytest
import yaml

from hil import cli
from hil.base.errors import InputError
from hil.design.parameters import effective
from hil.design.studies import available, load_study, select
from hil.design.trials import nonce

FIRMWARE = {"board": "lx106", "sha256": "0" * 64}
STUDY = {
    "study": "sample",
    "title": "A sample",
    "question": "Does it expand?",
    "constants": {"link": "netem", "payload_bytes": 30, "interval_ms": 100, "duration_s": 5},
    "profiles": {
        "quick": {"repetitions": 2, "blocks": [{"protocol": ["mqtt"], "qos": [0, 1]}]},
        "full": {"repetitions": 1, "blocks": [{"protocol": ["coap"], "confirmable": [True]}]},
    },
}


@pytest.fixture
def write(tmp_path):
    """Write a changed copy of STUDY and return its path."""

    def run(change=lambda study: None) -> Path:
        study = yaml.safe_load(yaml.safe_dump(STUDY))
        change(study)
        path = tmp_path / "sample.yaml"
        path.write_text(yaml.safe_dump(study), encoding="utf-8")
        return path

    return run


def test_a_block_is_the_product_of_its_levels(write):
    trials = load_study(write()).trials("quick")
    assert [trial.id for trial in trials] == [
        "mqtt_qos0_r1",
        "mqtt_qos0_r2",
        "mqtt_qos1_r1",
        "mqtt_qos1_r2",
    ]


def test_a_block_has_the_factors_of_its_case_and_what_it_changes(write):
    def change(study):
        study["cases"] = {"one": {"protocol": ["mqtt"], "qos": [0], "mss": [1440]}}
        study["profiles"]["quick"]["blocks"] = [{"case": "one", "qos": [1], "nagle": [False]}]

    trial = load_study(write(change)).trials("quick")[0]
    assert trial.id == "mss1440_mqtt_qos1_nagle0_r1"  # the case's factors first


@pytest.mark.parametrize("testbed", ["virtual", "hardware"])
def test_a_trial_by_its_name_is_that_of_the_list(testbed):
    study = load_study("smoke")
    for trial in study.trials("quick", testbed):
        assert study.trial(trial.id, "quick", testbed) == trial
        assert study.trial(trial.id, "quick", testbed).parameters == trial.parameters


def test_there_is_no_trial_of_another_name(write):
    study = load_study(write())
    assert study.trial("mqtt_qos1_r3", "quick") is None
    assert study.trial("mqtt_qos1_r", "quick") is None


def test_a_block_that_names_several_cases_is_a_block_for_each(write):
    def change(study):
        study["cases"] = {"plain": {}, "two": {"qos": [2]}}
        study["profiles"]["quick"]["blocks"] = [{"case": ["plain", "two"], "protocol": ["mqtt"]}]

    found = [trial.id for trial in load_study(write(change)).trials("quick")]
    assert found == ["mqtt_r1", "mqtt_r2", "qos2_mqtt_r1", "qos2_mqtt_r2"]


def test_a_trial_is_named_alike_with_and_without_a_case(write):
    def change(study):
        study["cases"] = {"one": {"protocol": ["mqtt"], "qos": [2]}}
        study["profiles"]["quick"]["blocks"] = [{"case": "one", "qos": [0, 1]}]

    with_case, without = load_study(write(change)), load_study(write())
    assert with_case.trials("quick") == without.trials("quick")


def test_a_trial_has_the_constants_and_its_point(write):
    trial = load_study(write()).trials("full")[0]
    expected = {**STUDY["constants"], "protocol": "coap", "mode": "coap-con", "peer": "default"}
    assert expected.items() <= trial.parameters.items()


def test_a_constant_goes_only_where_it_applies(write):
    trials = load_study(write(lambda s: s["constants"].update(nagle=False)))
    assert trials.trials("quick")[0].parameters["nagle"] is False
    with pytest.raises(InputError, match=r"constants\.nagle: applies to no trial of the profile"):
        trials.trials("full")


def test_a_mode_stands_for_protocol_and_guarantee(write):
    def change(study):
        study["profiles"]["quick"] = {"repetitions": 1, "blocks": [{"mode": ["coap", "mqtt-qos2"]}]}

    trials = load_study(write(change)).trials("quick")
    assert [trial.id for trial in trials] == ["coap-non_r1", "coap-con_r1", "mqtt-qos2_r1"]
    assert trials[2].parameters["qos"] == 2


def test_the_seed_does_not_depend_on_the_testbed(write):
    study = load_study(write())
    virtual, live = (study.trials("quick", testbed)[0] for testbed in ("virtual", "live"))
    assert (virtual.seed, live.id) == (live.seed, "mqtt_qos0_r1_live")


def test_repetitions_have_seeds_of_their_own(write):
    seeds = [trial.seed for trial in load_study(write()).trials("quick")]
    assert len(set(seeds)) == len(seeds)


def test_a_block_may_have_repetitions_of_its_own(write):
    def change(study):
        study["profiles"]["quick"]["blocks"] = [
            {"protocol": ["mqtt"], "qos": [0], "repetitions": 3},
            {"protocol": ["mqtt"], "qos": [1]},
        ]

    names = [trial.id for trial in load_study(write(change)).trials("quick")]
    assert names == [f"mqtt_qos0_r{n}" for n in (1, 2, 3)] + ["mqtt_qos1_r1", "mqtt_qos1_r2"]


def test_the_nonce_changes_with_the_firmware(write):
    trial = load_study(write()).trials("quick")[0]
    other = {**FIRMWARE, "sha256": "1" * 64}
    assert nonce(trial.document(FIRMWARE, {})) != nonce(trial.document(other, {}))


def test_a_point_selects_by_value(write):
    trials = load_study(write()).trials("quick")
    assert [trial.id for trial in select(trials, {"qos": "1"}, 2)] == ["mqtt_qos1_r2"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s["constants"].update(qoss=1), ["constants.qoss", "did you mean 'qos'?"]),
        (lambda s: s["constants"].update(qos=1), ["blocks.0.qos", "constant and a factor"]),
        (
            lambda s: s["constants"].update(outage_every_s=60, outage_s=90),
            ["outage_s", "90 s is not shorter than outage_every_s, 60 s"],
        ),
        (lambda s: s["constants"].update(server_restart_s=-1), ["server_restart_s", "range"]),
        (lambda s: s["constants"].pop("duration_s"), ["neither duration_s nor messages"]),
        (
            lambda s: s["profiles"]["quick"]["blocks"].append({"protocol": ["mqtt"], "qos": [1]}),
            ["appears twice"],
        ),
        (lambda s: s["profiles"]["quick"]["blocks"][0].update(qos=[3]), ["qos", "out of range"]),
        (lambda s: s["profiles"].pop("full"), ["profiles", "'full' is missing"]),
        (lambda s: s.update(titel="x"), ["unknown key 'titel'", "did you mean 'title'?"]),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(peer=["libcoap"]),
            ["peer", "'libcoap' is no peer of MQTT"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(keep_alive=[True]),
            ["keep_alive", "does not apply to protocol mqtt"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(qos=[-1]),
            ["qos", "MQTT has no mode with qos -1"],
        ),
        (
            lambda s: s["constants"].update(clients=2, role="serve"),
            ["role", "'serve' is no role of"],
        ),
        (lambda s: s["constants"].update(snr_db=20), ["constants.snr_db", "applies to no trial"]),
        (
            lambda s: s["profiles"]["quick"].update(blocks=[{"mode": ["mqtt-qos9"]}]),
            ["mode", "'mqtt-qos9' is no mode"],
        ),
        (
            lambda s: s["profiles"]["quick"].update(blocks=[{"mode": ["mqtt-qos1"], "qos": [2]}]),
            ["qos", "contradicts the mode mqtt-qos1"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(pace=["answer"]),
            ["clients", "pace answer needs one client"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(
                role=["subscribe"], after_publish_ms=[300]
            ),
            ["after_publish_ms", "the device publishes nothing"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(role=["subscribe"], drain_s=[60]),
            ["drain_s", "there is no load"],
        ),
        (
            lambda s: s["constants"].update(interval_ms=0),
            ["interval_ms", "does not wait for an answer"],
        ),
        (
            lambda s: s["constants"].update(payload_bytes=5, messages=10_000),
            ["payload_bytes", "5 bytes are too few"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(payload_steps=[[20, 40]]),
            ["payload_steps", "needs a closed loop with a number of messages"],
        ),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(
                role=["subscribe"], processing_ms=[5], processing_times=["kuleuven2019-mqtt"]
            ),
            ["processing_times", "excludes processing_ms"],
        ),
        (
            lambda s: s.update(board="zephyr") or s["constants"].update(clock_ppm=500),
            ["clock_ppm", "does not apply to the board zephyr", "write 'board: lx106'"],
        ),
        (lambda s: s.update(study="other"), ["differs from the file's name"]),
        (
            lambda s: s["profiles"]["quick"]["blocks"][0].update(case="onee"),
            ["profiles.quick.blocks.0.case", "there is no case 'onee'"],
        ),
        (
            lambda s: s.update(cases={"one": {"qos": [0]}}),
            ["cases.one", "no block names it", "remove it"],
        ),
    ],
)
def test_a_wrong_study_names_file_key_and_remedy(write, change, words):
    path = write(change)
    with pytest.raises(InputError) as caught:
        load_study(path).trials("quick")
    assert caught.value.status == 2
    for word in [path.name, *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ({"protocol": "udp"}, "give 1440 or less$"),
        ({"protocol": "mqttsn"}, "give 1440 or less$"),
        ({"protocol": "coap"}, "or set block_bytes$"),
        ({"protocol": "oscore", "rederive": False}, "give 1408 or less, or set block_bytes$"),
        ({"protocol": "oscore", "rederive": True}, "give 1381 or less, or set block_bytes$"),
        ({"protocol": "coap", "block_bytes": 1024}, ""),
        ({"protocol": "mqtt"}, ""),
    ],
)
def test_a_payload_is_as_large_as_its_protocol_carries(words, remedy):
    given = words | {"payload_bytes": 15360, "interval_ms": 100, "link": "air", "messages": 1}
    if not remedy:
        assert effective(given, "s.yaml")["payload_bytes"] == 15360
        return
    with pytest.raises(InputError, match=f"s.yaml: payload_bytes: 15360 bytes .*{remedy}"):
        effective(given, "s.yaml")


def test_an_unknown_study_suggests_the_nearest():
    with pytest.raises(InputError, match="did you mean 'quickstart'"):
        load_study("quikstart")


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize("profile", ["quick", "full"])
def test_every_study_of_the_project_expands(name, profile):
    trials = load_study(name).trials(profile)
    assert trials
    for trial in trials:
        trial.document(FIRMWARE, {"thinwire": "test"}, FIRMWARE["sha256"] if trial.server else "")


def test_machines_get_the_counts_of_both_designs(capsys, tmp_path):
    bundle = tmp_path / "limits" / load_study("limits").trials("quick", "virtual")[0].id
    bundle.mkdir(parents=True)
    (bundle / "lab.json").write_text('{"outcome": "failed"}', encoding="utf-8")
    assert cli.main(["studies", "limits", "--json", "--data", str(tmp_path)]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["trials"], row["wrong"]) == ("1 of 58", 1)
    assert row["full"] == len(load_study("limits").trials("full", "virtual"))


def test_a_board_in_the_place_of_the_studys_own_has_the_trials_that_it_can_run():
    study = load_study("security")
    own, other = study.trials("quick"), study.trials("quick", board="zephyr")
    deep = [trial for trial in own if trial.parameters.get("deep_sleep")]
    assert deep and len(other) == len(own) - len(deep)
