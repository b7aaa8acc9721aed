"""Radio settings of the board esp8266: words of its configuration line that no other board has, and
its report of them (firmware/boards/esp8266/src/radio.cpp)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hil.design.facts import Facts

NAMES = ("phy_mode", "sleep_type", "tx_power_dbm", "tx_rate_mbps")


def stated(facts: Facts) -> list[str]:
    """Return the names of radio parameters that the trial states."""
    return [name for name in NAMES if getattr(facts, name) is not None]


def words(facts: Facts) -> dict[str, Any]:
    """Return the radio's words of the configuration line, by key."""
    values = {name: getattr(facts, name) for name in stated(facts)}
    if (power := values.pop("tx_power_dbm", None)) is not None:
        values["tx_power_qdbm"] = round(power * 4)
    return values


def reported(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the board's `radio` line in the units of parameters.

    The power is the one that was set, not the one that the radio uses. A rate of 0 is automatic.
    """
    found = {name: event.get(name) for name in ("phy", "channel", "rssi_dbm", "sleep")}
    power = event.get("tx_power_set_qdbm", -1)
    found["tx_rate_mbps"] = event.get("tx_rate_mbps") or "auto"
    found["tx_power_set_dbm"] = power / 4 if power >= 0 else "default"
    return found


def differs(facts: Facts, report: Mapping[str, Any]) -> str:
    """Describe the settings that differ from the trial's; an empty text if none do."""
    sleep = (facts.sleep_type or "modem") if facts.modem_sleep else "none"
    wanted: dict[str, Any] = {"sleep": sleep, "tx_rate_mbps": facts.tx_rate_mbps or "auto"}
    if facts.phy_mode is not None:
        wanted["phy"] = facts.phy_mode
    if facts.tx_power_dbm is not None:
        wanted["tx_power_set_dbm"] = facts.tx_power_dbm
    wrong = [
        f"{key} is {report.get(key)}, not {value}"
        for key, value in wanted.items()
        if report.get(key) != value
    ]
    return "; ".join(wrong)
