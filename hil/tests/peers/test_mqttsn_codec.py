"""Are MQTT-SN packets the bytes of the specification, and is everything else refused?"""

from __future__ import annotations

import random

import pytest

from hil.peers.mqttsn import codec as sn

# Each packet as section 5.4 lays it out, byte by byte.
EXAMPLES = {
    "05 00 01 03 84": sn.Advertise(1, 900),
    "03 01 00": sn.SearchGw(0),
    "03 02 01": sn.GwInfo(1),
    "07 02 01 0a 4d 00 01": sn.GwInfo(1, bytes([10, 77, 0, 1])),
    "08 04 04 01 00 3c 62 31": sn.Connect(sn.CLEAN, 1, 60, b"b1"),
    "03 05 00": sn.ConnAck(sn.ACCEPTED),
    "02 06": sn.WillTopicReq(),
    "07 07 20 67 6f 6e 65": sn.WillTopic(b"\x20gone"),
    "02 07": sn.WillTopic(b""),
    "02 08": sn.WillMsgReq(),
    "05 09 62 79 65": sn.WillMsg(b"bye"),
    "0d 0a 00 00 00 01 74 77 2f 64 61 74 61": sn.Register(0, 1, b"tw/data"),
    "07 0b 00 05 00 01 00": sn.RegAck(5, 1, sn.ACCEPTED),
    "09 0c 60 00 01 00 00 68 69": sn.Publish(sn.make_flags(-1), 1, 0, b"hi"),
    "09 0c a2 74 77 00 07 68 69": sn.Publish(sn.make_flags(1, 2, dup=True), 0x7477, 7, b"hi"),
    "07 0d 00 01 00 07 02": sn.PubAck(1, 7, sn.INVALID_TOPIC_ID),
    "04 0e 00 07": sn.PubComp(7),
    "04 0f 00 07": sn.PubRec(7),
    "04 10 00 07": sn.PubRel(7),
    "08 12 40 00 02 61 2f 23": sn.Subscribe(sn.make_flags(2), 2, b"a/#"),
    "08 13 40 00 01 00 02 00": sn.SubAck(0x40, 1, 2, 0),
    "07 14 01 00 03 00 01": sn.Unsubscribe(sn.TOPIC_PREDEFINED, 3, b"\0\1"),
    "04 15 00 03": sn.UnsubAck(3),
    "02 16": sn.PingReq(),
    "04 16 62 31": sn.PingReq(b"b1"),
    "02 17": sn.PingResp(),
    "02 18": sn.Disconnect(),
    "04 18 00 1e": sn.Disconnect(b"\0\x1e"),
    "04 1a 00 78": sn.WillTopicUpd(b"\0x"),
    "03 1b 03": sn.WillTopicResp(sn.NOT_SUPPORTED),
    "03 1c 78": sn.WillMsgUpd(b"x"),
    "03 1d 03": sn.WillMsgResp(sn.NOT_SUPPORTED),
}


@pytest.mark.parametrize(("text", "packet"), EXAMPLES.items())
def test_packet_is_these_bytes(text: str, packet: sn.Packet) -> None:
    assert sn.encode(packet) == bytes.fromhex(text)
    assert sn.decode(bytes.fromhex(text)) == packet


def test_every_type_has_an_example() -> None:
    assert {type(packet) for packet in EXAMPLES.values()} == set(sn.Packet.__subclasses__())


@pytest.mark.parametrize(("size", "head"), [(247, "fe"), (248, "ff"), (249, "01 01 02")])
def test_length_takes_three_bytes_from_256_on(size: int, head: str) -> None:
    packet = sn.Publish(0, 1, 1, b"x" * size)
    data = sn.encode(packet)
    assert data.startswith(bytes.fromhex(head))
    assert sn.decode(data) == packet


def test_packet_beyond_the_longest_is_refused() -> None:
    with pytest.raises(ValueError, match="65536"):
        sn.encode(sn.Publish(0, 1, 1, b"x" * (65536 - 9)))


MALFORMED = (
    "|02|01 00 04|03 05|04 05 00|02 05|04 05 00 00|02 03|03 18 00|05 18 00 00 00"
    "|06 0c 00 00 01 00|02 ff"
)


@pytest.mark.parametrize("text", MALFORMED.split("|"))
def test_other_bytes_are_malformed(text: str) -> None:
    with pytest.raises(sn.Malformed):
        sn.decode(bytes.fromhex(text))


def test_random_and_truncated_bytes_decode_or_are_malformed() -> None:
    """Whatever decodes must also encode to an equal packet."""
    source = random.Random(1)
    known = [bytes.fromhex(text) for text in EXAMPLES]
    decoded = 0
    for _ in range(20_000):
        data = bytearray(source.choice(known))
        for _ in range(source.randrange(3)):
            data[source.randrange(len(data))] = source.randrange(256)
        if source.random() < 0.5:
            data = data[: source.randrange(len(data) + 1)] + source.randbytes(source.randrange(4))
        if source.random() < 0.5 and data:
            data[0] = len(data)
        try:
            packet = sn.decode(bytes(data))
        except sn.Malformed:
            continue
        decoded += 1
        assert sn.decode(sn.encode(packet)) == packet
    assert decoded > 5_000
