"""Topic names and their MQTT-SN aliases for one client (specification 1.2, sections 3 and 6.5)."""

from __future__ import annotations

from collections.abc import Mapping

from hil.peers.mqttsn import codec as sn

_LAST_ID = 0xFFFE  # 0x0000 and 0xFFFF are reserved


def is_name(field: bytes) -> bool:
    """Return whether this is a valid topic name (MQTT 3.1.1, sections 1.5.3 and 4.7)."""
    return _is_text(field) and not has_wildcard(field)


def is_filter(field: bytes) -> bool:
    """Return whether this is a valid filter: a wildcard is a whole level, and # the last one."""
    levels = field.split(b"/")
    if b"#" in field and (levels[-1] != b"#" or b"#" in b"/".join(levels[:-1])):
        return False
    return _is_text(field) and all(level == b"+" or b"+" not in level for level in levels)


def has_wildcard(field: bytes) -> bool:
    return b"+" in field or b"#" in field


def _is_text(field: bytes) -> bool:
    try:
        return bool(field) and "\0" not in field.decode()
    except UnicodeDecodeError:
        return False


class Topics:
    """The topic ids of a client. `predefined` maps ids to names, the same for all clients."""

    def __init__(self, predefined: Mapping[int, bytes]) -> None:
        self._predefined = dict(predefined)
        self._by_id: dict[int, bytes] = {}
        self._by_name: dict[bytes, int] = {}
        self._alias: dict[bytes, tuple[int, int]] = {}

    def clear(self) -> None:
        """Remove all but the predefined ids, for a clean session."""
        self._by_id.clear()
        self._by_name.clear()
        self._alias.clear()

    def assign(self, name: bytes) -> int | None:
        """Return the id of a normal topic name, a new one if needed; None if all are in use."""
        topic_id = self._by_name.get(name)
        if topic_id is None:
            topic_id = len(self._by_name) + 1
            if topic_id > _LAST_ID:
                return None
            self._by_name[name], self._by_id[topic_id] = topic_id, name
        return topic_id

    def learned(self, name: bytes, topic_type: int, topic_id: int) -> None:
        """Record that the client knows this name by this id."""
        self._alias[name] = topic_type, topic_id

    def forgotten(self, topic_id: int) -> None:
        """Record that the client does not know this id."""
        alias = sn.TOPIC_NORMAL, topic_id
        for name in [name for name, known in self._alias.items() if known == alias]:
            del self._alias[name]

    def name(self, topic_type: int, topic_id: int) -> bytes | None:
        """Return the name of an id; None if there is none."""
        if topic_type == sn.TOPIC_NORMAL:
            return self._by_id.get(topic_id)
        if topic_type == sn.TOPIC_PREDEFINED:
            return self._predefined.get(topic_id)
        if topic_type == sn.TOPIC_SHORT:
            name = topic_id.to_bytes(2, "big")
            return name if is_name(name) else None
        return None

    def wanted(self, topic_type: int, field: bytes) -> tuple[bytes | None, int]:
        """Return name and id (0: none yet) of the topic of a SUBSCRIBE or UNSUBSCRIBE."""
        if topic_type == sn.TOPIC_NORMAL:
            if not is_filter(field):
                return None, 0
            if has_wildcard(field):
                return field, 0
            return field, self.assign(field) or 0
        if len(field) != 2:
            return None, 0
        topic_id = int.from_bytes(field, "big")
        if topic_type == sn.TOPIC_SHORT and is_filter(field):
            return field, 0 if has_wildcard(field) else topic_id
        return self.name(topic_type, topic_id), topic_id

    def alias(self, name: bytes) -> tuple[int, int] | None:
        """Return topic type and id by which the client knows this name; None: REGISTER first."""
        if name in self._alias:
            return self._alias[name]
        return (sn.TOPIC_SHORT, int.from_bytes(name, "big")) if len(name) == 2 else None
