"""A CoAP server (RFC 7252) on aiocoap: takes POST and PUT, answers GET, logs what arrived."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path

import aiocoap
import aiocoap.numbers.codes
import aiocoap.resource
import aiocoap.transports.simplesocketserver

from hil.servers import asyncserver, base
from hil.testbeds import plan, processes


class Sink(aiocoap.resource.Resource):
    """The resource at the plan's topic; GET returns the last payload."""

    def __init__(self, log: base.Log) -> None:
        super().__init__()
        self._log, self._last = log, b""

    def _take(self, request: aiocoap.Message, code: aiocoap.Code) -> aiocoap.Message:
        self._log.received(
            request.payload, type=request.mtype.name, mid=request.mid, code=request.code.name
        )
        self._last = request.payload
        return aiocoap.Message(code=code)

    async def render_post(self, request: aiocoap.Message) -> aiocoap.Message:
        return self._take(request, aiocoap.CHANGED)

    async def render_put(self, request: aiocoap.Message) -> aiocoap.Message:
        return self._take(request, aiocoap.CHANGED)

    async def render_get(self, request: aiocoap.Message) -> aiocoap.Message:
        return aiocoap.Message(payload=self._last)


async def _serve(log: base.Log, ready: Path) -> None:
    site = aiocoap.resource.Site()
    site.add_resource(plan.TOPIC.split("/"), Sink(log))
    await aiocoap.Context.create_server_context(
        site, bind=(plan.SERVER_IP, plan.PORTS["coap"]), transports=["simplesocketserver"]
    )
    ready.touch()
    await asyncserver.until_sigterm()


def serve(file: Path, ready: Path) -> None:
    """Serve until SIGTERM, then write the log."""
    log = base.Log("coap", file)
    asyncio.run(_serve(log, ready))
    log.write()


class CoapServer(base.Server):
    name = "coap"

    def start(self) -> None:
        ready = self.folder / "coap.ready"
        ready.unlink(missing_ok=True)
        child = processes.fork(
            "the CoAP server", functools.partial(serve, self.log, ready),
            self.namespace, self.folder / "coap.out",
        )  # fmt: skip
        self.children.append(child)
        child.wait_for(ready.exists)
