"""The facts of a trial: its effective parameters as attributes, and values derived from them.

`Facts.of` makes them once from trial.json. A parameter that a trial does not state has its default
or absent value of workflow/schemas/parameters.schema.json. The machine has no schemas, so these
values are repeated here; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hil.design import addressing, interruptions
from hil.design.interruptions import Interruption
from hil.design.protocols import Protocol, ServerRow, modes, protocols

# Upper bound of the mean round trip in a busy cell, which bounds the duration of a closed loop.
_ROUND_TRIP_MS = 20
# Keys of a group that are no parameters of its devices.
GROUP_OWN = ("devices", "start_s")


def _frozen(value: Any) -> Any:
    """Return a value of JSON with its lists as tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@dataclass(frozen=True)
class Facts:
    """The parameters of one trial. Units are part of the names.

    Properties hold values that several rooms derive from the parameters.
    """

    protocol: str
    link: str
    payload_bytes: int = 0
    interval_ms: int = 0
    foreign: bool = False
    client: str | None = None
    server_program: str | None = None
    server_port: int | None = None
    mode: str = ""  # the name for qos, confirmable or keep_alive
    peer: str = "default"
    role: str = "publish"
    pace: str = "interval"
    empty_answers: bool = False
    qos: int = 0
    confirmable: bool = True
    keep_alive: bool = True
    separate_ms: int = 0
    block_bytes: int = 0
    nagle: bool = True
    mss: int = 1460
    payload_steps: tuple[int, ...] = ()
    duration_s: int = 0
    messages: int = 0
    keepalive_s: int = 60
    clean_session: bool = True
    topic_alias: bool = False
    session_expiry_s: int | None = None
    message_expiry_s: int | None = None
    receive_max: int | None = None
    topic_bytes: int | None = None
    server_restart_s: int = 0
    server_down_s: int = 0
    server_time_us: float | str = 0
    outage_every_s: int = 0
    outage_s: int = 0
    restart_spans_s: tuple[tuple[float, float], ...] = ()
    outage_spans_s: tuple[tuple[float, float], ...] = ()
    faults: tuple[Mapping[str, Any], ...] = ()
    nat_timeout_s: int | None = None
    footprint_s: int | None = None
    devices: int = 1
    groups: tuple[Mapping[str, Any], ...] = ()
    start_spread_s: float | None = None
    clients: int = 0
    start_spread_ms: int | None = None
    overrun_us: int = 0
    socket_each: bool = False
    think_time: str = "fixed"
    broker_nagle: bool = False
    broker_in_flight: int = 20
    publish_ms: int = 0
    after_publish_ms: int | None = None
    drain_s: int = 0
    chain_bytes: int = 3000
    answer_fields: str = "plain"
    tls: str = "1.3"
    tls_resume: bool = False
    token: str = "RS256"
    session_messages: int = 100
    session_mix: tuple[int, ...] = ()
    fields: int = 1
    await_connack: bool = False
    processing_ms: int = 0
    processing_times: str = "none"
    clock_ppm: int = 0
    clock_start_ms: int = 0
    heap_bytes: int | None = None
    sockets: int = 0
    http_pieces: bool = False
    http_piece_ms: int = 0
    quirks: tuple[str, ...] = ()
    library: str | None = None
    connection_messages: int | None = None
    deep_sleep: bool = False
    security: str = "none"
    tls_version: str = "1.2"
    psk_dhe: bool = True
    own_certificate: bool = False
    resume: bool = False
    cid: bool = False
    rederive: bool = False
    record_bytes: int | None = None
    certificate: str = "ec"
    delay_ms: float = 0
    jitter_ms: float = 0
    loss_pct: float = 0
    server_link: str = "wired"
    wifi_standard: str = "g"
    wifi_rate_mbps: float | None = None
    snr_db: float | None = None
    frame_error_rate: float | None = None
    modem_sleep: bool = False
    sleep_type: str | None = None
    phy_mode: str | None = None
    tx_power_dbm: float | None = None
    tx_rate_mbps: int | None = None
    sleep_fetch_ms: int = 0
    sleep_idle_ms: int = 100
    sleep_wake_pct: float = 0
    join: str = "none"
    scan_type: str = "active"
    wifi_security: str = "open"
    address_assignment: str = "static"
    name_resolution: str = "none"
    clock_sync: str = "none"
    arrival_delay: str = "none"
    dtim_period: int = 1
    beacon_interval_tu: int = 100
    capture_beacons: bool = True
    ap_queue: str = "per_station"
    ap_queue_frames: int = 100
    background_profile: str | tuple[str, ...] = "none"
    background_direction: str = "both"
    background_load_mbps: float = 0
    background_hidden: bool = False
    background_stations: int = 1

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Facts:
        """Make the facts of a trial from its effective parameters (`parameters` of trial.json).

        Raises:
            TypeError: a parameter is unknown, or one without a default is missing.
        """
        return cls(**{name: _frozen(value) for name, value in parameters.items()})

    def states(self, name: str) -> bool:
        """Return whether a parameter differs from its default or absent value."""
        return bool(getattr(self, name) != type(self).__dataclass_fields__[name].default)

    @property
    def row(self) -> Protocol:
        """The protocol's row of workflow/protocols.yaml."""
        return protocols()[self.protocol]

    @property
    def server(self) -> ServerRow:
        """The server that the device talks to: the default one, or the trial's `peer`."""
        row = self.row.servers[self.peer]
        return replace(row, port=self.server_port) if self.server_port else row

    @property
    def by_server(self) -> dict[str, Facts]:
        """The facts of the first group that talks to each server, by the server's name."""
        found: dict[str, Facts] = {}
        for own in self.by_group:
            found.setdefault(own.server.name, own)
        return found

    @property
    def topic(self) -> str:
        """The topic of the messages, or their path without its first slash."""
        if not self.topic_bytes:
            return addressing.TOPIC
        return f"{addressing.TOPIC}/".ljust(self.topic_bytes, "x")

    @property
    def joins(self) -> bool:
        """Whether the device joins the cell when it is switched on, and when it wakes."""
        return self.join != "none"

    @property
    def secured(self) -> bool:
        """Whether the device uses TLS or DTLS."""
        return self.security != "none"

    @property
    def port(self) -> int:
        """The port that the device connects to."""
        if not self.secured:
            return self.server.port
        assert self.server.secure_port, f"{self.server.name} speaks no TLS"
        return self.server.secure_port

    @property
    def asks(self) -> bool:
        """Whether the device sends requests and waits for each answer."""
        return self.pace == "answer"

    @property
    def by_group(self) -> tuple[Facts, ...]:
        """The facts of the devices of each group; these facts alone without groups."""
        return tuple(self._of_group(group) for group in self.groups) or (self,)

    def _of_group(self, group: Mapping[str, Any]) -> Facts:
        own = {key: value for key, value in group.items() if key not in GROUP_OWN}
        if name := own.get("mode"):
            protocol, mode = modes()[name]
            own |= {"protocol": protocol.name, **mode.parameters}
        return replace(self, groups=(), **own)

    @property
    def spread_s(self) -> float:
        """The time within which the devices are switched on, s; 0 for a single one."""
        if self.devices == 1:
            return 0.0
        if self.groups:
            starts = (group.get("start_s", 0) for group in self.groups)
            return max(at + own.spread_s for at, own in zip(starts, self.by_group, strict=True))
        return self.interval_ms / 1000 if self.start_spread_s is None else self.start_spread_s

    @property
    def closed_loop(self) -> bool:
        """Whether device and load alternate: each message waits for the previous answer."""
        return self.asks or self.role == "echo"

    @property
    def load(self) -> str:
        """The kind of load, as in the column `loads` of workflow/protocols.yaml."""
        return "answer" if self.asks else self.role

    @property
    def counted_s(self) -> float:
        """Duration of `messages` at their interval, s; an upper bound in a closed loop."""
        pace_ms = float(max(own.interval_ms for own in self.by_group))
        if self.closed_loop:
            pace_ms = max(pace_ms, _ROUND_TRIP_MS)
        return self.messages * pace_ms / 1000

    @property
    def sending_s(self) -> float:
        """How long the device sends, s: until its duration or its messages end."""
        spans = [float(self.duration_s), self.counted_s]
        return min((span for span in spans if span), default=0.0)

    @property
    def outages(self) -> list[Interruption]:
        """The periods in which the link loses every frame."""
        planned = interruptions.outages(self.outage_every_s, self.outage_s, self.sending_s)
        return planned + interruptions.stated(self.outage_spans_s)

    @property
    def needs_wire(self) -> bool:
        """Whether the program `wire` stands between the device and the link."""
        return bool(self.faults or self.nat_timeout_s)

    @property
    def resets_device(self) -> bool:
        """Whether a fault resets the device, which then does not end by itself in time."""
        return any(fault["kind"] == "device_reset" for fault in self.faults)

    @property
    def restarts(self) -> list[Interruption]:
        """The periods in which the server is down."""
        planned = interruptions.restarts(self.server_restart_s, self.server_down_s, self.sending_s)
        return planned + interruptions.stated(self.restart_spans_s)

    @property
    def last_numbers(self) -> dict[int, int]:
        """Each payload size, in bytes, and the number of the last message that has it."""
        sizes = (self.payload_bytes, *self.payload_steps)
        share = self.messages // len(sizes)
        numbers = {size: share * step for step, size in enumerate(sizes, 1)}
        return numbers | {sizes[-1]: self.messages}  # the last size gets the remainder
