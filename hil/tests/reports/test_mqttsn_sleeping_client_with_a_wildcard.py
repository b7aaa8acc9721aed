"""Does a sleeping client with a wildcard get names and messages when it wakes, then its PINGRESP?

Reports: paho.mqtt-sn #121; #47, #68 and #141 for lengths of three bytes.
Rule: MQTT-SN 1.2, sections 5.2.1, 6.10 and 6.14.
"""

from __future__ import annotations

from pathlib import Path

from hil.peers.mqttsn import codec as sn
from hil.tests.support.mqttsn_bench import Bench, run


def test_messages_of_two_new_topics(tmp_path: Path) -> None:
    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        await device.ask(sn.Subscribe(sn.make_flags(1), 1, b"w/+"))
        await device.ask(sn.Disconnect((30).to_bytes(2, "big")))
        for number in range(2):
            await bench.publish(f"w/{number}", "sleepy", 1)
        device.send(sn.PingReq(b"d"))
        heard: list[str] = []
        while heard.count("Publish") < 2 or heard[-1] != "PingResp":
            packet = await device.next()
            heard.append(type(packet).__name__)
            if isinstance(packet, sn.Register):
                device.send(sn.RegAck(packet.topic_id, packet.msg_id, sn.ACCEPTED))
            elif isinstance(packet, sn.Publish):
                device.send(sn.PubAck(packet.topic_id, packet.msg_id, sn.ACCEPTED))
            elif heard.count("Publish") < 2:  # the second message was still under way
                device.send(sn.PingReq(b"d"))
        names = [name for name in heard if name != "PingResp"]
        assert names == ["Register", "Publish"] * 2

    run(tmp_path, question)


def test_lengths(tmp_path: Path) -> None:
    wrong = ["00", "01", "0100", "010003", "02", "0316", "021600", "01000316", "01ffff16"]

    async def question(bench: Bench) -> None:
        device = await bench.joined(b"d")
        for text in wrong:
            device.raw(bytes.fromhex(text))
        device.raw(bytes.fromhex("01000416"))  # PINGREQ with a length of three bytes
        assert await device.next() == sn.PingResp()
        assert bench.gateway.malformed == len(wrong)

    run(tmp_path, question)
