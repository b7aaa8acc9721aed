"""The radio of a board without silicon: it takes the words that the ESP8266's firmware takes
(src/radio.cpp), and says so. The emulator behind has none."""

from __future__ import annotations

import json

TAKEN = {
    "sleep_type": ("modem", "light"),
    "phy_mode": ("b", "g", "n"),
    "tx_power_qdbm": tuple(map(str, range(83))),
    "join": ("cached", "scan"),
    "tx_rate_mbps": ("6", "9", "12", "18", "24", "36", "48", "54"),
}


class Radio:
    """`words`: those that it leaves to the firmware; a `sleepy` one sleeps whatever it was sent."""

    def __init__(self, words: str, sleepy: bool = False) -> None:
        given = dict(word.partition("=")[::2] for word in words.split())
        self._set = {key: given[key] for key in TAKEN if given.get(key) in TAKEN[key]}
        self.words = " ".join(
            word for word in words.split() if word.partition("=")[0] not in self._set
        )
        asleep = sleepy or given.get("modem_sleep") == "1"
        self._sleep = self._set.get("sleep_type", "modem") if asleep else "none"

    def joining(self, boot: bytes) -> bytes:
        """What the firmware logs when it turns its radio on, after its line `boot`."""
        said = json.loads(boot)
        known = self._set.get("join") == "cached" and said["reason"] == "deep_sleep"
        event = {"t": said["t"], "nonce": said["nonce"], "ev": "joining", "scan": not known}
        return json.dumps(event, separators=(",", ":")).encode()

    def line(self, up: bytes) -> bytes:
        """What the firmware logs right after its line `up`."""
        time, nonce = (json.loads(up)[key] for key in ("t", "nonce"))
        fields = {
            "phy": self._set.get("phy_mode", "n"),
            "channel": 6,
            "rssi_dbm": -40,
            "sleep": self._sleep,
            "tx_rate_mbps": int(self._set.get("tx_rate_mbps", 0)),
            "tx_power_set_qdbm": int(self._set.get("tx_power_qdbm", -1)),
        }
        event = {"t": time, "nonce": nonce, "ev": "radio", **fields}
        return json.dumps(event, separators=(",", ":")).encode()
