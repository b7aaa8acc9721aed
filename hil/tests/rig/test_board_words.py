"""Does a trial become the words that the firmware reads?"""

from __future__ import annotations

from hil.design import addressing, samples
from hil.design.studies import load_study
from hil.rig.boards.lx106 import Lx106
from hil.tests.support.bundles import DOCUMENT


def words(**parameters: object) -> dict[str, str]:
    document = DOCUMENT | {"parameters": DOCUMENT["parameters"] | parameters}
    return dict(word.split("=", 1) for word in Lx106.config(document, "0011aabb").split(" "))


def test_units_and_booleans() -> None:
    found = words(duration_s=30, nagle=False, confirmable=True, messages=5)
    assert found["duration_ms"] == "30000"
    assert (found["nagle"], found["confirmable"], found["messages"]) == ("0", "1", "5")
    assert (found["proto"], found["port"], found["nonce"]) == ("coap", "5683", "0011aabb")


def test_quirks_are_a_list() -> None:
    assert words(quirks=["byte_at_a_time_read", "x"])["quirks"] == "byte_at_a_time_read,x"
    assert "quirks" not in words(quirks=[])


def test_recorded_times_of_processing_are_a_first_one_and_further_ones() -> None:
    found = words(protocol="mqtt", role="subscribe", processing_times="kuleuven2019-mqtt")
    times = [int(found["processing_ms"]), *map(int, found["processing_steps"].split(","))]
    assert times == list(samples.sample_ms(samples.PROCESSING_TIMES, "kuleuven2019-mqtt"))
    plain = words(protocol="mqtt", role="subscribe", processing_ms=28)
    assert plain["processing_ms"] == "28"
    assert not {"processing_steps", "clock_ppm"} & plain.keys()


def test_the_firmware_gets_no_zero_seed() -> None:
    document = DOCUMENT | {"seed": 0}
    assert " seed=1 " in Lx106.config(document, "00000000")


def test_a_consuming_device_has_a_queue_of_its_own() -> None:
    assert words(protocol="amqp", role="subscribe")["queue"] == "b1"
    assert "queue" not in words(protocol="amqp", role="publish")


def test_the_board_speaks_to_the_peer_that_is_chosen() -> None:
    assert words(protocol="coap", peer="libcoap")["port"] == str(addressing.port("libcoap"))
    assert words(protocol="mqttsn", peer="paho")["port"] == str(addressing.port("paho"))
    assert words(protocol="mqttsn", peer="default")["port"] == str(addressing.port("mqttsn"))


def test_a_line_fits_the_boards_buffer() -> None:
    study = load_study("quickstart")
    lengths = [
        len(Lx106.config(trial.document({"board": "lx106", "sha256": "0" * 64}, {}), "0" * 8))
        for trial in study.trials("quick")
    ]
    assert max(lengths) < 512


def test_a_board_is_given_no_address_that_it_asks_for() -> None:
    leased = words(address_assignment="dhcp")
    assert leased["dhcp"] == "1"
    assert not {"ip", "mask", "lease_kept", "dns", "peer_name", "time_server"} & leased.keys()
    assert words(address_assignment="cached", deep_sleep=True)["lease_kept"] == "1"


def test_a_board_that_resolves_names_is_given_names() -> None:
    named = words(name_resolution="dns", clock_sync="sntp")
    assert (named["peer_name"], named["time_server"]) == (
        "server.thinwire.test",
        "time.thinwire.test",
    )
    assert named["dns"] == addressing.SERVER_IP and "peer" not in named
    assert "dns" not in words(name_resolution="dns", address_assignment="dhcp")
    assert words(clock_sync="sntp")["time_server"] == addressing.SERVER_IP


def test_other_boards_words_name_nothing_to_ask_for() -> None:
    assert not {"dhcp", "dns", "peer_name", "time_server"} & words().keys()
