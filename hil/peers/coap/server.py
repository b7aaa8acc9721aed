"""A CoAP server (RFC 7252) on aiocoap that accepts POST and PUT, answers GET, and logs requests."""

from __future__ import annotations

import aiocoap
import aiocoap.numbers.codes
import aiocoap.resource
import aiocoap.transports.simplesocketserver

from hil.design import addressing
from hil.peers import asyncserver
from hil.peers.log import Log


class Sink(aiocoap.resource.Resource):
    """The resource at the laboratory's topic; GET returns the last payload."""

    def __init__(self, log: Log) -> None:
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


class CoapServer(asyncserver.AsyncServer):
    name = "coap"

    def site(self, log: Log) -> aiocoap.interfaces.Resource:
        """Return what answers requests."""
        site = aiocoap.resource.Site()
        site.add_resource(addressing.TOPIC.split("/"), Sink(log))
        return site

    async def listen(self, log: Log) -> object:
        return await aiocoap.Context.create_server_context(
            self.site(log),
            bind=(addressing.SERVER_IP, addressing.port(self.name)),
            transports=["simplesocketserver"],
        )
