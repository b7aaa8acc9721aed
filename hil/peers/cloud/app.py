"""The HTTP interface (ASGI 3): POST with a bearer token (RFC 6750) publishes to the device's topic.

The request is Cloud IoT Core's `publishEvent`: {"binary_data": BASE64}. The answer is sent when the
broker has acknowledged the message (QoS 1), like a PUBACK over MQTT.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from hil.peers.cloud import names
from hil.peers.cloud.registry import Refused
from hil.peers.mqtt import codec as mqtt

Message = dict[str, Any]
_PATH = re.compile("/v1/(.+):publishEvent")
_LARGEST_BODY = 1 << 20
_CLIENT_ID = b"thinwire-http"


class Publisher:
    """A connection to the broker. Each request waits for the PUBACK of its message."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._number = 0
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    async def publish(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 1.

        Raises:
            OSError: the broker is down.
        """
        async with self._opening:  # many requests, one connection
            if self._writer is None:
                reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
                self._reading = asyncio.create_task(self._read(reader))
                self._writer.write(mqtt.connect(_CLIENT_ID))
        self._number = self._number % 0xFFFF + 1
        done = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        message = mqtt.Message(topic.encode(), payload, qos=1, packet_id=self._number)
        self._writer.write(mqtt.publish(message))
        await done

    async def _read(self, reader: asyncio.StreamReader) -> None:
        stream = mqtt.Stream()
        while data := await reader.read(65536):
            for packet in stream.feed(data):
                if packet.kind == mqtt.PUBACK:
                    self._waiting.pop(mqtt.packet_id(packet)).set_result(None)
        self._writer = None
        for lost in self._waiting.values():
            lost.set_exception(ConnectionError("the broker closed the connection"))
        self._waiting.clear()


class App:
    """The application. `check` raises Refused for a token that is not valid for the device."""

    def __init__(
        self,
        check: Callable[[str, str], None],
        publish: Callable[[str, bytes], Awaitable[None]],
    ) -> None:
        self._check, self._publish = check, publish

    def _admit(self, device: str, fields: dict[bytes, bytes]) -> None:
        """Check the request's token.

        Raises:
            Refused: it is missing, or not valid for the device.
        """
        scheme, _, token = fields.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            raise Refused("a bearer token is needed")
        self._check(device, token)

    async def answer(self, scope: Message, body: bytes) -> tuple[int, dict[str, Any]]:
        """Return status and JSON body of the answer to a request."""
        target = _PATH.fullmatch(scope["path"])
        device = names.device_of(target[1]) if target else ""
        if not device or scope["method"] != "POST":
            return 404, _error("POST to a device's publishEvent is needed")
        try:
            self._admit(device, dict(scope["headers"]))
            payload = base64.b64decode(json.loads(body)["binary_data"], validate=True)
            await self._publish(names.topic(device), payload)
        except Refused as error:
            return 401, _error(str(error))
        except OSError as error:
            return 503, _error(str(error))
        except (ValueError, TypeError, LookupError):
            return 400, _error("binary_data is no base64")
        return 200, {}

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        body = b""
        while (event := await receive())["type"] == "http.request":
            body += event.get("body", b"")
            if not event.get("more_body") or len(body) > _LARGEST_BODY:
                break
        if len(body) > _LARGEST_BODY:
            status, document = 413, _error("too large")
        else:
            status, document = await self.answer(scope, body)
        text = json.dumps(document).encode()
        fields = [
            (b"content-type", b"application/json; charset=UTF-8"),
            (b"content-length", str(len(text)).encode()),
        ]
        if status == 401:
            fields.append((b"www-authenticate", b"Bearer"))  # RFC 6750, section 3
        await send({"type": "http.response.start", "status": status, "headers": fields})
        await send({"type": "http.response.body", "body": text})


def _error(text: str) -> dict[str, Any]:
    return {"error": {"message": text}}
