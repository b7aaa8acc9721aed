"""Rules that involve several parameters of a trial, beyond the range of each: one row per rule.

Rules that also depend on the board are in board_rules.py.
"""

from __future__ import annotations

from pathlib import Path

from hil.base.errors import InputError
from hil.design import addressing, background, faultlist, fleet
from hil.design.facts import Facts
from hil.design.rule import Rule, pair, spans

# From this size on a payload has room for its sender and the number of each message.
_NUMBERED_BYTES = 10
# The largest payload that the firmware sends in one piece: TW_SEGMENT_MAX of its engine.h.
_PIECE_BYTES = 1440
# What OSCORE adds to a datagram at most, with a Sender ID of up to 7 bytes, and the ID Context of
# appendix B.2: PAYLOAD_MAX and TW_OSCORE_KID_CONTEXT_MAX of the firmware's oscore.
_OSCORE_BYTES = 32
_ID_CONTEXT_BYTES = 27


def _datagram(f: Facts) -> int:
    """Return how many bytes of payload a datagram of the firmware holds."""
    added = _OSCORE_BYTES * (f.protocol == "oscore") + _ID_CONTEXT_BYTES * f.rederive
    return _PIECE_BYTES - added


def _loaded(f: Facts) -> bool:
    """Whether payload and interval are stated by the parameters: those of our firmware, or of a
    load whose messages go to the device."""
    return not f.foreign or bool(f.clients and f.role != "publish")


def _unnumbered(f: Facts) -> list[int]:
    """Payload sizes, in bytes, without room for the sender and the number of each message."""
    return [
        size
        for size, last in f.last_numbers.items()
        if size < _NUMBERED_BYTES
        and (not f.messages or len(str(last)) > size - 1 or f.clients > 1 or f.devices > 1)
    ]


# In the order in which they are checked: a later rule may rely on an earlier one.
RULES: tuple[Rule, ...] = (
    Rule(
        "role",
        lambda f: f.role not in f.row.roles,
        lambda f: f"'{f.role}' is no role of {f.row.label}",
        lambda f: f"give one of {', '.join(f.row.roles)}",
    ),
    Rule(
        "peer",
        lambda f: f.peer not in f.row.servers,
        lambda f: f"'{f.peer}' is no peer of {f.row.label}",
        lambda f: f"give one of {', '.join(f.row.servers)}",
    ),
    Rule(
        "security",
        lambda f: f.secured and not f.server.secure_port,
        lambda f: f"the peer '{f.peer}' does not support TLS or DTLS",
        lambda f: (
            "remove it, or set peer to "
            + " or ".join(peer for peer, row in f.row.servers.items() if row.secure_port)
        ),
    ),
    Rule(
        "security",
        lambda f: f.security == "psk" and not f.server.psk,
        lambda f: f"the peer '{f.peer}' does not support pre-shared keys",
        "set it to chain or pinned",
    ),
    Rule(
        "clients",
        lambda f: f.clients and f.load not in f.row.loads,
        lambda f: f"{f.row.label} has no load for a device whose role is '{f.load}'",
        "set it to 0, or choose another role or protocol",
    ),
    Rule(
        "devices",
        fleet.problem,
        lambda f: f"does not go with {fleet.problem(f)}, which is made for one device",
        lambda f: f"set it to 1, or remove {fleet.problem(f).split()[0]}",
    ),
    Rule(
        "devices",
        fleet.too_many_for_oscore,
        lambda f: f"of OSCORE may be {addressing.OSCORE_DEVICES_MAX}, as tshark knows their keys",
        f"set it to {addressing.OSCORE_DEVICES_MAX} at most, or choose another protocol",
    ),
    Rule(
        "groups",
        lambda f: f.groups and sum(group["devices"] for group in f.groups) != f.devices,
        lambda f: (
            f"have {sum(group['devices'] for group in f.groups)} devices, but devices is"
            f" {f.devices}"
        ),
        "remove devices, which is their sum",
    ),
    Rule(
        "groups",
        fleet.apart,
        lambda f: f"need {fleet.apart(f)}, which do not run in one machine",
        "choose modes of one of them, or a trial for each",
    ),
    Rule(
        "groups",
        fleet.of_one_server,
        lambda f: f"with {fleet.of_one_server(f)} need one server, but have several",
        lambda f: f"remove {fleet.of_one_server(f)}, or give all groups modes of one protocol",
    ),
    Rule(
        "start_spread_s",
        lambda f: f.start_spread_s is not None and f.devices == 1,
        lambda f: "needs several devices",
        "set devices, or remove it",
    ),
    Rule(
        "after_publish_ms",
        lambda f: f.after_publish_ms is not None and not f.publish_ms,
        lambda f: "the device publishes nothing",
        "set publish_ms, or remove it",
    ),
    Rule(
        "drain_s",
        lambda f: f.drain_s and not f.clients,
        lambda f: "there is no load whose messages could wait",
        "set clients, or remove it",
    ),
    Rule(
        "clients",
        lambda f: f.closed_loop and f.clients != 1,
        lambda f: f"{'pace answer' if f.asks else 'role echo'} needs one client to talk to",
        "set it to 1",
    ),
    Rule(
        "interval_ms",
        lambda f: _loaded(f) and not f.closed_loop and not f.interval_ms,
        lambda f: "is 0, and the device does not wait for an answer",
        "give 1 or more",
    ),
    Rule(
        "processing_times",
        lambda f: f.processing_times != "none" and f.processing_ms,
        lambda f: "excludes processing_ms",
        "remove one of them",
    ),
    Rule(
        "payload_steps",
        lambda f: f.payload_steps and not (f.closed_loop and f.messages),
        lambda f: "needs a closed loop with a number of messages",
        "set messages, and pace answer or role echo",
    ),
    Rule(
        "payload_bytes",
        lambda f: _loaded(f) and not f.payload_bytes,
        lambda f: "is missing",
        "add it",
    ),
    Rule(
        "payload_bytes",
        lambda f: _loaded(f) and _unnumbered(f),
        lambda f: (
            f"{_unnumbered(f)[0]} bytes are too few for the sender and number of each message"
        ),
        f"give {_NUMBERED_BYTES} or more, or fewer messages from one sender",
    ),
    Rule(
        "payload_bytes",
        lambda f: f.payload_bytes > _datagram(f) and f.row.transport != "tcp" and not f.block_bytes,
        lambda f: f"{f.payload_bytes} bytes exceed a datagram of the firmware",
        lambda f: (
            f"give {_datagram(f)} or less"
            + (", or set block_bytes" if f.protocol in {"coap", "oscore"} else "")
        ),
    ),
    *pair("outage_every_s", "outage_s"),
    *pair("server_restart_s", "server_down_s"),
    *spans("outage_spans_s", "outage_every_s"),
    *spans("restart_spans_s", "server_restart_s"),
    Rule(
        "wifi_security",
        lambda f: f.states("wifi_security") and not f.joins,
        lambda f: "needs a board that joins: its keys come from the handshake",
        "set join to cached or scan, or remove it",
    ),
    Rule(
        "join",
        lambda f: f.joins and f.devices > 1,
        lambda f: "is for a single device",
        "remove devices, or join",
    ),
    Rule(
        "join",
        lambda f: f.joins and f.needs_wire,
        lambda f: (
            f"does not go with {'faults' if f.faults else 'nat_timeout_s'}:"
            " the board's frames to its radio would pass there, too"
        ),
        "remove one of them",
    ),
    Rule(
        "faults",
        faultlist.problem,
        faultlist.problem,
        "see docs/faults.md",
    ),
    Rule(
        "clean_session",
        lambda f: (
            f.protocol == "amqp" and f.clean_session and (f.restarts or faultlist.keeps_state(f))
        ),
        lambda f: "the queue of a clean session does not survive a restart of the broker",
        "set it to false",
    ),
    Rule(
        "server_time_us",
        lambda f: f.server_time_us and not f.server.time_us,
        lambda f: f"the server '{f.server.name}' does not support a stated time per message",
        "remove it, or choose a server that has time_us in workflow/protocols.yaml",
    ),
    Rule(
        "background_stations",
        lambda f: any(not group.stations for group in background.groups(f)),
        lambda f: f"{f.background_stations} are too few for the profiles of the mixture",
        lambda f: f"give at least {len(background.groups(f))}",
    ),
    Rule(
        "background_load_mbps",
        background.without_load,
        lambda f: f"is missing or 0, but {background.without_load(f)} has no rate of its own",
        f"give a load above 0, or the profile '{background.NOBODY}' for a cell without background",
    ),
    Rule(
        "",
        lambda f: not f.duration_s and (f.foreign or not f.messages),
        lambda f: (
            "duration_s is missing" if f.foreign else "neither duration_s nor messages is given"
        ),
        lambda f: "add it" if f.foreign else "add one of them",
    ),
)


def check(facts: Facts, source: str | Path) -> None:
    """Check the parameters of a trial against each other.

    Raises:
        InputError: names the first rule that is broken.
    """
    for rule in RULES:
        if rule.broken(facts):
            remedy = rule.remedy if isinstance(rule.remedy, str) else rule.remedy(facts)
            raise InputError(source, rule.key, rule.problem(facts), remedy)
