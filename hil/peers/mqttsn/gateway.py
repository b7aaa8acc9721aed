"""The I/O of the MQTT-SN gateway: a UDP socket for the devices, a broker connection per client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from hil.peers.log import Log
from hil.peers.mqtt import codec as mqtt
from hil.peers.mqttsn import codec as sn
from hil.peers.mqttsn import effects as effect
from hil.peers.mqttsn.client import Client
from hil.peers.mqttsn.outbox import Limits
from hil.peers.mqttsn.topics import Topics

Address = tuple[str, int]
_RECONNECT_S = 1.0


@dataclass(frozen=True)
class Settings:
    """A gateway's settings.

    Attributes:
        broker: address and port of the MQTT broker.
        predefined: topic ids that every client knows.
        advertise_to: address and port for ADVERTISE broadcasts.
        advertise_s: seconds between them; 0: none.
    """

    broker: Address
    predefined: Mapping[int, bytes]
    limits: Limits = field(default_factory=Limits)
    gateway_id: int = 1
    advertise_to: Address = ("255.255.255.255", 1885)
    advertise_s: int = 0


class BrokerLink(asyncio.Protocol):
    """A connection to the broker, with callbacks for opening, packets and closing."""

    def __init__(
        self,
        opened: Callable[[], None],
        packet: Callable[[mqtt.Packet], None],
        closed: Callable[[str], None],
    ) -> None:
        self._opened, self._packet, self._closed = opened, packet, closed
        self._stream = mqtt.Stream()
        self._transport: asyncio.Transport | None = None
        self._dropped = False

    async def open(self, broker: Address) -> None:
        """Connect; a failure calls `closed`."""
        try:
            await asyncio.get_running_loop().create_connection(lambda: self, *broker)
        except OSError:
            self.connection_lost(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if self._dropped:
            self._transport.abort()
        else:
            self._opened()

    def send(self, data: bytes) -> None:
        if self._transport and not self._dropped:
            self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        try:
            for packet in self._stream.feed(data):
                if not self._dropped:
                    self._packet(packet)
        except mqtt.Malformed:
            self.connection_lost(None)
            self.drop()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._dropped:
            self._dropped = True
            self._closed("broker_gone")

    def drop(self) -> None:
        """Close without further callbacks; data already written is still sent."""
        self._dropped = True
        if self._transport:
            self._transport.close()


class _Session:
    """A client, its address, its broker connection and its timer."""

    def __init__(self, gateway: Gateway, address: Address) -> None:
        self.client = Client(gateway.settings.predefined, gateway.settings.limits)
        self.address = address
        self._gateway = gateway
        self._link: BrokerLink | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._opening: asyncio.Task[None] | None = None

    def take(self, packet: sn.Packet) -> None:
        self.client.on_packet(packet, self._gateway.now())
        self._carry_out()

    def _carry_out(self) -> None:
        """Execute the client's effects and set its timer."""
        while self.client.effects:
            self._do(self.client.effects.pop(0))
        if self._timer:
            self._timer.cancel()
        due = self.client.deadline()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(due, self._on_time) if due is not None else None
        if self.client.disposable:
            self._gateway.forget(self.address)

    def _do(self, what: effect.Effect) -> None:
        if isinstance(what, effect.ToDevice):
            self._gateway.send(what.packet, self.address)
        elif isinstance(what, effect.ToBroker):
            if self._link:
                self._link.send(what.data)
        elif isinstance(what, effect.OpenBroker):
            self._drop()
            self._link = BrokerLink(self._on_open, self._on_packet, self._on_closed)
            self._opening = asyncio.ensure_future(self._link.open(self._gateway.settings.broker))
        elif isinstance(what, effect.CloseBroker):
            self._drop()
        else:
            self._gateway.note(self.client, what)

    def discard(self) -> None:
        """End the session: another client has this address now."""
        self._drop()
        if self._timer:
            self._timer.cancel()

    def _drop(self) -> None:
        if self._link:
            self._link.drop()
        self._link = None

    def _on_open(self) -> None:
        self.client.on_broker_open()
        self._carry_out()

    def _on_packet(self, packet: mqtt.Packet) -> None:
        self.client.on_broker_packet(packet, self._gateway.now())
        self._carry_out()

    def _on_closed(self, reason: str) -> None:
        self._link = None
        self.client.on_broker_closed(reason)
        self._carry_out()

    def _on_time(self) -> None:
        self.client.on_time(self._gateway.now())
        self._carry_out()


class Gateway(asyncio.DatagramProtocol):
    """See the module. The gateway's own connection carries QoS -1 messages of unknown clients."""

    def __init__(self, settings: Settings, log: Log) -> None:
        self.settings, self._log = settings, log
        self._sessions: dict[Address, _Session] = {}
        self._transport: asyncio.DatagramTransport | None = None
        self._own: BrokerLink | None = None
        self.malformed = 0

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def join_broker(self) -> None:
        """Open the gateway's own broker connection, and retry until it is up."""

        def up() -> None:
            link.send(mqtt.connect(b"thinwire-gateway"))
            self._own = link

        def gone(reason: str) -> None:
            self._own = None
            loop = asyncio.get_running_loop()
            loop.call_later(
                _RECONNECT_S, lambda: setattr(self, "_retry", loop.create_task(self.join_broker()))
            )

        link = BrokerLink(up, lambda packet: None, gone)
        await link.open(self.settings.broker)

    # ---- datagrams ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)
        self._advertise()

    def _advertise(self) -> None:
        """Broadcast ADVERTISE periodically (section 6.1)."""
        if self.settings.advertise_s:
            packet = sn.Advertise(self.settings.gateway_id, self.settings.advertise_s)
            self.send(packet, self.settings.advertise_to)
            asyncio.get_running_loop().call_later(self.settings.advertise_s, self._advertise)

    def send(self, packet: sn.Packet, address: Address) -> None:
        if self._transport:
            self._transport.sendto(sn.encode(packet), address)

    def datagram_received(self, data: bytes, address: Address) -> None:
        try:
            packet = sn.decode(data)
        except sn.Malformed:
            self.malformed += 1
            return
        if isinstance(packet, sn.SearchGw):
            self.send(sn.GwInfo(self.settings.gateway_id), address)
            return
        session = self._session(packet, address)
        if session:
            session.take(packet)
        elif isinstance(packet, sn.Publish) and sn.qos_of(packet.flags) == -1:
            self._publish_for_unknown(packet)
        elif isinstance(packet, sn.Connect):
            self._sessions[address] = _Session(self, address)
            self._sessions[address].take(packet)
        elif not isinstance(packet, sn.Disconnect | sn.Advertise | sn.GwInfo):
            self.send(sn.Disconnect(), address)

    def error_received(self, error: Exception) -> None:
        """Ignore an ICMP error: supervision detects that the device is off."""

    def _session(self, packet: sn.Packet, address: Address) -> _Session | None:
        """Return the session of a sender, if any.

        A known client may return from another address, since NAT can assign a new port while it
        sleeps: its session moves there. Only a sleeping client sends its identifier in PINGREQ
        (section 5.4.21).
        """
        wakes = isinstance(packet, sn.PingReq)
        client_id = packet.client_id if isinstance(packet, sn.Connect | sn.PingReq) else b""
        if client_id:
            for known, session in self._sessions.items():
                same = session.client.client_id == client_id and known != address
                if same and (session.client.state in effect.SLEEPING or not wakes):
                    if address in self._sessions:
                        self._sessions[address].discard()
                    self._sessions[address] = self._sessions.pop(known)
                    session.address = address
                    break
        return self._sessions.get(address)

    def forget(self, address: Address) -> None:
        """Remove the session of the client at this address."""
        self._sessions.pop(address, None)

    def _publish_for_unknown(self, packet: sn.Publish) -> None:
        """Publish at QoS -1 to a predefined or short topic, without an answer (section 6.8)."""
        kind = packet.flags & 3
        name = Topics(self.settings.predefined).name(kind, packet.topic_id)
        if self._own and name is not None:
            retain = bool(packet.flags & sn.RETAIN)
            self._own.send(mqtt.publish(mqtt.Message(name, packet.data, retain=retain)))

    # ---- log ----

    def note(self, client: Client, what: effect.Note) -> None:
        more = {"detail": what.detail} if what.detail else {}
        name = client.client_id.decode(errors="replace")
        self._log.note(what.event, client=name, **more, **client.counts)
