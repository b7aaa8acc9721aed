"""Does `thinwire ask --sleep deep` add up the measured phases, and say what decides?"""

from __future__ import annotations

import json

import pytest

from hil import cli
from hil.base.documents import read_json
from hil.commands import ask, ask_deep, recommend, wakes
from hil.commands.recommend import Question
from hil.commands.wakes import Way

QUESTION = Question(payload=30, interval=600, sleep="deep", guarantee="at-least-once")
CURRENTS = {
    "least": {"listen": 50, "modem_sleep": 10, "light_sleep": 1, "deep_sleep": 0},
    "greatest": {"listen": 100, "modem_sleep": 20, "light_sleep": 2, "deep_sleep": 0},
}


def phase(name: str, ms: float, level: str | None = None) -> dict[str, object]:
    own = {} if level is None else {"level": level}
    return own | {"phase": name, "n": 3, "ms": ms, "least_uc": 50 * ms, "greatest_uc": 100 * ms}


DOCUMENT = {
    "guarantees": ["at-most-once", "at-least-once", "exactly-once"],
    "modes": [
        {"name": name, "label": label, "guarantee": guarantee, "baseline": name == "tcp-ack"}
        for name, label, guarantee in (
            ("mqtt-qos0", "MQTT QoS 0", "at-most-once"),
            ("mqtt-qos1", "MQTT QoS 1", "at-least-once"),
            ("coap-con", "CoAP CON", "at-least-once"),
            ("tcp-ack", "TCP, ACK", "at-least-once"),
        )
    ],
    "wakes": {
        "chip_start_ms": [80, 90],
        "payload": [30],
        "currents_ma": CURRENTS,
        "steps": [
            phase("start", 2, ""),
            phase("scan", 120, "cached"),
            phase("scan", 1600, "scan"),
            phase("join", 4, "open"),
            phase("join", 12, "wpa2-psk"),
            phase("address", 4, "cached"),
            phase("address", 8, "dhcp"),
            phase("name", 3, "dns"),
            phase("time", 1, "sntp"),
        ],
        "modes": [
            {"mode": mode, "security": kind, "session": session, "phases": phases}
            for mode, kind, session, phases in (
                ("mqtt-qos0", "none", "", [phase("session", 1), phase("wind_down", 100)]),
                ("mqtt-qos1", "none", "", [phase("session", 4), phase("wind_down", 100)]),
                ("coap-con", "none", "", [phase("answer", 2), phase("wind_down", 100)]),
                ("tcp-ack", "none", "", [phase("answer", 1), phase("wind_down", 100)]),
                ("mqtt-qos1", "chain", "kept", [phase("tls", 21), phase("wind_down", 100)]),
            )
        ],
    },
}


def cheapest(way: Way, question: Question = QUESTION) -> wakes.Wake:
    return wakes.wake_ups(DOCUMENT, question, way)[0]


def test_a_wake_up_is_the_sum_of_its_phases() -> None:
    wake = cheapest(Way(join="scan", address="dhcp", lookups=True))
    assert wake.mode == "coap-con", "the guarantee leaves MQTT QoS 0 out, and raw TCP is no product"
    measured = 2 + 1600 + 12 + 8 + 3 + 1 + 2 + 100
    assert wake.ms == (80 + measured, 90 + measured)
    assert wake.uc == (80 * 10 + 50 * measured, 90 * 100 + 100 * measured)


def test_phases_that_a_device_has_not_are_left_out() -> None:
    names = [phase.name for phase in cheapest(Way()).phases]
    assert names == ["chip", "start", "scan", "join", "answer", "wind_down"]
    assert cheapest(Way(wifi_security="open")).ms[0] == cheapest(Way()).ms[0] - 8


def test_shares_are_of_the_whole() -> None:
    for way in (Way(), Way(join="scan", lookups=True)):
        found = wakes.shares(cheapest(way))
        assert sum(share[0] for share in found.values()) == pytest.approx(100)
        assert sum(share[1] for share in found.values()) == pytest.approx(100)


def test_the_remedy_is_for_what_decides() -> None:
    scanning = Way(join="scan")
    assert wakes.largest(cheapest(scanning)) == "finding the cell"
    assert "cache the channel" in wakes.remedy(cheapest(scanning), scanning)
    assert wakes.remedy(cheapest(Way()), Way()) == "", "it is cached already"


def test_a_battery_lasts_by_the_whole_duty_cycle() -> None:
    wake = cheapest(Way())
    least, greatest = wakes.days(DOCUMENT, QUESTION, wake)
    wake_ups = 1000 * 3.6 / (wake.uc[1] * 1e-6)
    assert least == pytest.approx(wake_ups * 600 / 86400)
    assert greatest > least


def test_waking_pays_from_the_interval_in_which_staying_costs_as_much() -> None:
    wake = cheapest(Way())
    ends = [wake.uc[0] / 1000 / 10, wake.uc[1] / 1000 / 20]
    found = wakes.break_even_s(DOCUMENT, wake, "modem_sleep")
    assert found == pytest.approx((min(ends), max(ends)))


def shipped(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    question = ("--payload", "30", "--interval", "10min", "--model", str(ask.SHIPPED))
    assert cli.main(["ask", *question, *words]) == 0
    return capsys.readouterr().out


def test_the_first_sentence_says_what_decides(capsys: pytest.CaptureFixture[str]) -> None:
    said = shipped(capsys, "--sleep", "deep", "--join", "scan")
    first, *_ = said.splitlines()
    assert "of the charge of a wake-up is finding the cell: cache the channel" in first
    assert read_json(ask_deep.SHIPPED, "")["build"]["commit"][:12] in said


def test_the_shipped_wake_ups_answer_every_way(capsys: pytest.CaptureFixture[str]) -> None:
    document = recommend.read(ask.SHIPPED) | {"wakes": read_json(ask_deep.SHIPPED, "")}
    for join in ("cached", "scan"):
        for security in ("open", "wpa2-psk"):
            for address in ("static", "cached", "dhcp"):
                way = Way(join, security, address, lookups=True)
                assert wakes.wake_ups(document, QUESTION, way)
    said = json.loads(shipped(capsys, "--sleep", "deep", "--json", "--qos", "at-least-once"))
    phases = said["answer"][0]["phases"]
    assert sum(phase["uc"][0] for phase in phases) == pytest.approx(
        said["answer"][0]["charge_uc"][0]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--join", "scan"), "--join: is for a device in deep sleep; add --sleep deep"),
        (("--sleep", "deep", "--load", "busy"), "no trial woke in a busy cell"),
        (("--sleep", "deep", "--payload", "5000"), "no trial woke with more than 1440 bytes"),
        (("--sleep", "deep", "--by", "bytes"), "ranked by the battery alone"),
        (("--sleep", "deep", "--record", "x.md"), "--record: does not go with --sleep deep"),
        (("--sleep", "deep", "--modes", "amqp"), "no trial woke with such a mode"),
    ],
)
def test_what_no_trial_answers_is_refused(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    question = ["ask", "--payload", "30", "--interval", "600", "--model", str(ask.SHIPPED)]
    assert cli.main([*question, *words]) == 2
    assert message in capsys.readouterr().err
