# ruff: noqa: PLC0415 (each kind of sender loads its own library, and no other)
"""Send numbered messages to the device, then end: senders.py KIND COUNT INTERVAL_MS

KIND is mqtt-QOS or amqp (to the broker at 127.0.0.1), websocket (a server that sends to whoever
connects), coap, libcoap, http, tcp or udp (to the device, which serves), or one of foreign.py. Each
message is sent once by the rules of its protocol, and the next ones do not wait for it where the
protocol allows. Where nothing holds a sender back (MQTT at QoS 0, UDP) there is a pause of
INTERVAL_MS between messages.
"""

from __future__ import annotations

import asyncio
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

import foreign
from counting import payload
from lossy_link import SERVED_ADDRESS

_RAW = struct.Struct(">BBHI")
_RAW_DATA, _ACK_WANTED = 1, 1
_PARALLEL = 8


def mqtt(qos: int, messages: int, pause_s: float) -> None:
    """Paho, over restarts of the broker."""
    import paho.mqtt.client as paho

    version = paho.CallbackAPIVersion.VERSION2
    client = paho.Client(version, client_id="interop-pub", clean_session=False)
    client.reconnect_delay_set(1, 1)
    client.max_inflight_messages_set(10)  # the smallest window of a broker here
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", 1883)
    client.loop_start()
    handles = []
    for seq in range(messages):
        handles.append(client.publish("tw/data", payload(seq), qos=qos))
        if not qos:
            time.sleep(pause_s)
    for handle in handles:
        handle.wait_for_publish(3600)
    client.disconnect()


def amqp(messages: int) -> None:
    """pika, with confirms, or in one transaction with a broker that does not announce them."""
    import pika

    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1"))
    channel = connection.channel()
    confirms = connection.publisher_confirms_supported
    channel.confirm_delivery() if confirms else channel.tx_select()
    for seq in range(messages):
        channel.basic_publish("", "tw", payload(seq))
    if not confirms:
        channel.tx_commit()
    connection.close()


async def _parallel(messages: int, send: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    places = asyncio.Semaphore(_PARALLEL)

    async def one(seq: int) -> None:
        async with places:
            await send(seq)

    await asyncio.gather(*(one(seq) for seq in range(messages)))


async def coap(messages: int, _pause_s: float) -> None:
    """aiocoap, confirmable POST."""
    import aiocoap

    context = await aiocoap.Context.create_client_context()

    async def send(seq: int) -> None:
        uri = f"coap://{SERVED_ADDRESS}/a"
        request = aiocoap.Message(code=aiocoap.POST, uri=uri, payload=payload(seq))
        await context.request(request).response

    await _parallel(messages, send)
    await context.shutdown()


async def libcoap(messages: int, _pause_s: float) -> None:
    """libcoap's example client, confirmable POST, a process for each message."""

    async def send(seq: int) -> None:
        words = ["-m", "post", "-e", payload(seq).decode(), f"coap://{SERVED_ADDRESS}/a"]
        client = await asyncio.create_subprocess_exec("coap-client-notls", *words)
        await client.wait()

    await _parallel(messages, send)


async def http(messages: int, _pause_s: float) -> None:
    """aiohttp, POST over kept connections."""
    import aiohttp

    async with aiohttp.ClientSession() as session:

        async def send(seq: int) -> None:
            url = f"http://{SERVED_ADDRESS}:80/a"
            async with session.post(url, data=payload(seq)) as response:
                response.raise_for_status()

        await _parallel(messages, send)


async def websocket(messages: int, _pause_s: float) -> None:
    """websockets, as a server."""
    from websockets.asyncio.server import serve

    done = asyncio.Event()

    async def send(connection: Any) -> None:
        for seq in range(messages):
            await connection.send(payload(seq).decode())
        await (await connection.ping())
        done.set()
        await asyncio.sleep(10)

    async with serve(send, "0.0.0.0", 8082, compression=None):
        await done.wait()
        await asyncio.sleep(1)


async def tcp(messages: int, _pause_s: float) -> None:
    """Raw TCP, each message acknowledged."""
    reader, writer = await asyncio.open_connection(SERVED_ADDRESS, 7000)
    for seq in range(messages):
        writer.write(_RAW.pack(_RAW_DATA, _ACK_WANTED, len(payload(seq)), seq) + payload(seq))
        await reader.readexactly(_RAW.size)
    writer.close()


async def udp(messages: int, pause_s: float) -> None:
    """Raw UDP, without acknowledgement."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        asyncio.DatagramProtocol, remote_addr=(SERVED_ADDRESS, 7001)
    )
    for seq in range(messages):
        transport.sendto(_RAW.pack(_RAW_DATA, 0, len(payload(seq)), seq) + payload(seq))
        await asyncio.sleep(pause_s)


ASYNC = {
    "coap": coap,
    "http": http,
    "libcoap": libcoap,
    "tcp": tcp,
    "udp": udp,
    "websocket": websocket,
}


def main() -> int:
    """Send."""
    if len(sys.argv) != 4:
        print("thinwire: error: senders.py: give KIND COUNT INTERVAL_MS", file=sys.stderr)
        return 2
    kind, messages, pause_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000
    if kind.startswith("mqtt-"):
        mqtt(int(kind[5:]), messages, pause_s)
    elif kind == "amqp":
        amqp(messages)
    elif command := foreign.sender(kind, messages):
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    else:
        asyncio.run(ASYNC[kind](messages, pause_s))
    return 0


if __name__ == "__main__":
    sys.exit(main())
