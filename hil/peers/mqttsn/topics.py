"""Topic names and their MQTT-SN aliases for one client (specification 1.2, sections 3 and 6.5)."""

from __future__ import annotations

from collections.abc import Mapping

from hil.peers.mqttsn import codec as sn

_LAST_ID = 0xFFFE  # 0x0000 and 0xFFFF are reserved
_WILDCARDS = (b"+", b"#")


class Topics:
    """What a client's topic ids mean. `predefined` maps ids to names, the same for all clients."""

    def __init__(self, predefined: Mapping[int, bytes]) -> None:
        self._predefined = dict(predefined)
        self._by_id: dict[int, bytes] = {}
        self._by_name: dict[bytes, int] = {}
        self._alias: dict[bytes, tuple[int, int]] = {}

    def clear(self) -> None:
        """Forget what a clean session forgets: all but the predefined ids."""
        self._by_id.clear()
        self._by_name.clear()
        self._alias.clear()

    def assign(self, name: bytes) -> int | None:
        """The id of a normal topic name, a new one if need be; None when all ids are taken."""
        topic_id = self._by_name.get(name)
        if topic_id is None:
            topic_id = len(self._by_name) + 1
            if topic_id > _LAST_ID:
                return None
            self._by_name[name], self._by_id[topic_id] = topic_id, name
        return topic_id

    def learned(self, name: bytes, topic_type: int, topic_id: int) -> None:
        """The client knows this name under this id now."""
        self._alias[name] = topic_type, topic_id

    def forgotten(self, name: bytes) -> None:
        """The client says that it does not know the id of this name."""
        self._alias.pop(name, None)

    def name(self, topic_type: int, topic_id: int) -> bytes | None:
        """The name behind an id; None if there is none."""
        if topic_type == sn.TOPIC_NORMAL:
            return self._by_id.get(topic_id)
        if topic_type == sn.TOPIC_PREDEFINED:
            return self._predefined.get(topic_id)
        if topic_type == sn.TOPIC_SHORT:
            return topic_id.to_bytes(2, "big")
        return None

    def wanted(self, topic_type: int, field: bytes) -> tuple[bytes | None, int]:
        """Name and id (0: none yet) of the topic of a SUBSCRIBE or UNSUBSCRIBE."""
        if topic_type == sn.TOPIC_NORMAL:
            if not field:
                return None, 0
            if any(mark in field for mark in _WILDCARDS):
                return field, 0
            return field, self.assign(field) or 0
        if len(field) != 2:
            return None, 0
        topic_id = int.from_bytes(field, "big")
        return self.name(topic_type, topic_id), topic_id

    def alias(self, name: bytes) -> tuple[int, int] | None:
        """Topic type and id under which the client knows this name; None: REGISTER first."""
        if name in self._alias:
            return self._alias[name]
        return (sn.TOPIC_SHORT, int.from_bytes(name, "big")) if len(name) == 2 else None
