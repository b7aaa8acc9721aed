"""Real peers of the device, one per process: peers.py KIND [ARGUMENT].

Prints `ready`, then works until SIGTERM, then prints what arrived as one JSON object. KIND is
mqtt-subscriber, mqttsn-gateway, paho-gateway, coap-server, libcoap-server, http-server,
websocket-server, amqp-consumer, raw-tcp, raw-udp or one of foreign.py.
"""

# ruff: noqa: PLC0415 (each kind of peer loads its own library, and no other)
from __future__ import annotations

import asyncio
import json
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import foreign
from counting import Count

ADDRESS = "0.0.0.0"
_RAW = struct.Struct(">BBHI")
_RAW_ACK = 2


async def coap_server(count: Count, _: str) -> Any:
    """aiocoap: POST to tw/data."""
    import aiocoap
    import aiocoap.resource

    class Sink(aiocoap.resource.Resource):
        async def render_post(self, request: aiocoap.Message) -> aiocoap.Message:
            count.add(request.payload)
            return aiocoap.Message(code=aiocoap.CHANGED)

    site = aiocoap.resource.Site()
    site.add_resource(["tw", "data"], Sink())
    return await aiocoap.Context.create_server_context(site, bind=("::", 5683))


async def libcoap_server(count: Count, _: str) -> Any:
    """libcoap's example server: makes the resource that is posted to, and prints each message."""
    from hil.peers.coap import libcoap

    server = await asyncio.create_subprocess_exec(
        *(libcoap.PROGRAM, *libcoap.OPTIONS),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output = server.stdout
    while libcoap.LISTENS not in await output.readline():
        pass

    async def read() -> None:
        while line := await output.readline():
            if match := libcoap.ARRIVED.match(line.rstrip()):
                count.add(match[4])

    return server, asyncio.create_task(read())


async def http_server(count: Count, _: str) -> Any:
    """aiohttp: POST to any path."""
    from aiohttp import web

    async def take(request: web.Request) -> web.Response:
        count.add(await request.read())
        return web.Response(status=204)

    app = web.Application()
    app.router.add_post("/{path:.*}", take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, ADDRESS, 8080).start()
    return runner


async def websocket_server(count: Count, _: str) -> Any:
    """websockets: takes text messages, and answers pings by itself."""
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    async def take(connection: Any) -> None:
        try:
            async for message in connection:
                count.add(message.encode() if isinstance(message, str) else message)
        except ConnectionClosed:
            pass

    return await serve(take, ADDRESS, 8081, compression=None)


async def mqttsn_gateway(count: Count, broker: str) -> Any:
    """The lab's own transparent gateway, in front of the broker at 127.0.0.1:`broker`."""
    from hil.peers.log import Log
    from hil.peers.mqttsn.gateway import Gateway, Settings
    from hil.peers.mqttsn.outbox import Limits

    unused = Log("mqttsn", Path("/dev/null"))  # the subscriber behind the broker counts
    limits = Limits(retry_s=0.2)  # T_retry as the board's in these cases
    settings = Settings(("127.0.0.1", int(broker)), {1: b"tw/data"}, limits)
    gateway = Gateway(settings, unused)
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: gateway, local_addr=(ADDRESS, 1884))
    await gateway.join_broker()
    return gateway


async def paho_gateway(count: Count, broker: str) -> Any:
    """Eclipse Paho's gateway, in front of the same broker."""
    from hil.peers.mqttsn import paho_gateway

    subprocess.run(["ip", "route", "replace", "224.0.0.1", "dev", "lo"], check=True)
    folder = Path(tempfile.mkdtemp())
    text = paho_gateway.configuration(1884, 1887, int(broker))
    (folder / "gateway.conf").write_text(text)
    command = [paho_gateway.PROGRAM, "-f", str(folder / "gateway.conf")]
    gateway = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    await asyncio.sleep(1)
    if gateway.poll() is not None:
        raise RuntimeError("the gateway ended at once")
    return gateway


async def foreign_server(count: Count, name: str) -> Any:
    """A server of foreign.py, which prints a line for each message."""
    server = await asyncio.create_subprocess_exec(
        *foreign.SERVERS[name], stdout=asyncio.subprocess.PIPE
    )
    output = server.stdout
    if (await output.readline()).strip() != foreign.READY:
        raise RuntimeError(f"{name}: it did not start; its words are above")

    async def read() -> None:
        while line := await output.readline():
            count.add(line.rstrip(b"\n"))

    return server, asyncio.create_task(read())


async def raw_tcp(count: Count, _: str) -> Any:
    """Raw TCP (firmware/core/protocols/raw/raw_header.h): acknowledges what asks for it."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                _kind, flags, size, seq = _RAW.unpack(await reader.readexactly(_RAW.size))
                count.add(await reader.readexactly(size))
                if flags & 1:
                    writer.write(_RAW.pack(_RAW_ACK, 0, 0, seq))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    return await asyncio.start_server(take, ADDRESS, 7000)


async def raw_udp(count: Count, _: str) -> Any:
    """Raw UDP, likewise."""

    class Sink(asyncio.DatagramProtocol):
        def connection_made(self, transport: Any) -> None:
            self.transport = transport

        def datagram_received(self, data: bytes, address: Any) -> None:
            _kind, flags, _size, seq = _RAW.unpack(data[: _RAW.size])
            count.add(data[_RAW.size :])
            if flags & 1:
                self.transport.sendto(_RAW.pack(_RAW_ACK, 0, 0, seq), address)

    loop = asyncio.get_running_loop()
    return await loop.create_datagram_endpoint(Sink, local_addr=(ADDRESS, 7001))


async def mqtt_subscriber(count: Count, broker: str) -> Any:
    """Paho: subscribes at QoS 2 to the broker at 127.0.0.1:`broker`, over its restarts."""
    import paho.mqtt.client as mqtt

    version = mqtt.CallbackAPIVersion.VERSION2
    client = mqtt.Client(version, client_id="interop-sub", clean_session=False)
    client.reconnect_delay_set(1, 1)
    client.on_message = lambda _client, _data, message: count.add(message.payload)
    subscribed = threading.Event()
    client.on_subscribe = lambda *_: subscribed.set()
    client.on_connect = lambda *_: client.subscribe([("tw/data", 2), ("ab", 2)])
    client.connect("127.0.0.1", int(broker))
    client.loop_start()
    await asyncio.to_thread(subscribed.wait, 10)
    return client


async def amqp_consumer(count: Count, argument: str) -> Any:
    """pika: consumes from the queue `tw`, which is `durable` or not, of the broker at a port of
    127.0.0.1, over its restarts."""
    import pika

    port, *durable = argument.split()

    def consume_once() -> None:
        connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port)))
        channel = connection.channel()
        channel.queue_declare("tw", durable=bool(durable))
        ready.set()
        for method, _properties, body in channel.consume("tw"):
            count.add(body)
            channel.basic_ack(method.delivery_tag)

    def consume() -> None:
        while True:
            try:
                consume_once()
            except pika.exceptions.AMQPError:
                time.sleep(1)

    ready = threading.Event()
    threading.Thread(target=consume, daemon=True).start()
    await asyncio.to_thread(ready.wait, 30)
    return None


PEERS = {
    "amqp-consumer": amqp_consumer,
    "coap-server": coap_server,
    "foreign": foreign_server,
    "http-server": http_server,
    "libcoap-server": libcoap_server,
    "mqtt-subscriber": mqtt_subscriber,
    "mqttsn-gateway": mqttsn_gateway,
    "paho-gateway": paho_gateway,
    "raw-tcp": raw_tcp,
    "raw-udp": raw_udp,
    "websocket-server": websocket_server,
}


async def _main(kind: str, argument: str) -> None:
    count = Count()
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    keep = await PEERS[kind](count, argument)  # noqa: F841 (holds the server alive)
    print("ready", flush=True)
    await stopped.wait()
    print(json.dumps(count.summary()), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PEERS:
        print("thinwire: error: peers.py: KIND: one of " + ", ".join(PEERS), file=sys.stderr)
        sys.exit(2)
    asyncio.run(_main(sys.argv[1], " ".join(sys.argv[2:])))
