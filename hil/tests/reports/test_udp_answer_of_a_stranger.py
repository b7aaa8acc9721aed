"""Does a device take an answer that comes from another endpoint than the one it asked?

Reports: openthread #1222, #6007; RIOT #18026.
Rules: RFC 7252, sections 4.2 and 5.3.2 (the source of a response MUST be the destination of its
request); MQTT-SN 1.2, section 6.1 (one gateway is in use). Raw UDP does the same.
"""

from __future__ import annotations

import pytest

PEER = "10.0.0.9"
STRANGERS = [("192.0.2.66", 9), (PEER, 9), ("192.0.2.66", 5683)]


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("head", ["6444", "5444", "4444", "7000", "6000"])
def test_coap_answer(engine, stranger, head) -> None:
    device = engine(f"proto=coap role=publish topic=a peer={PEER} port=5683")
    device.open()
    device.publish(1, 8)
    request = device.sent()[0].data
    answer = bytes.fromhex(head) + (request[2:8] if head[1] == "4" else request[2:4])
    device.feed(answer, stranger)
    assert not device.heard("acked") + device.heard("failed")
    device.wait(4)
    assert device.heard("retransmitted")  # an empty ACK of a stranger stops nothing either
    device.feed(bytes.fromhex("6444") + request[2:8], (PEER, 5683))
    assert device.heard("acked")


@pytest.mark.parametrize("stranger", [("192.0.2.66", 1884), (PEER, 9)])
@pytest.mark.parametrize("answer", ["030500", "030501", "0218", "0206", "0216"])
def test_mqttsn_packet(engine, stranger, answer) -> None:
    device = engine(f"proto=mqttsn role=publish qos=1 topic=tw/data peer={PEER} port=1884")
    device.open()
    assert device.sent()[0].data[1] == 0x04  # CONNECT
    device.feed(bytes.fromhex(answer), stranger)
    assert not device.sent() and not device.events
    device.feed(bytes.fromhex("030500"))
    device.feed(bytes.fromhex("070b0001000200"))
    device.feed(bytes.fromhex(answer), stranger)
    assert [event.type for event in device.events] == ["connected"]


@pytest.mark.parametrize("stranger", [("192.0.2.66", 7001), (PEER, 9)])
def test_raw_acknowledgement(engine, stranger) -> None:
    device = engine(f"proto=udp role=publish confirmable=1 peer={PEER} port=7001")
    device.open()
    device.publish(1, 8)
    device.feed(bytes.fromhex("0200000000000001"), stranger)
    assert not device.heard("acked")
    device.feed(bytes.fromhex("0200000000000001"))
    assert device.heard("acked")
