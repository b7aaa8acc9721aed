"""The radio of the board esp8266: words of its configuration line that no other board knows, and
what it reports of them (firmware/boards/esp8266/src/radio.cpp)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hil.design import libraries
from hil.errors import InputError

NAMES = ("phy_mode", "sleep_type", "tx_power_dbm", "tx_rate_mbps")


def check(parameters: Mapping[str, Any], board: str, source: str) -> None:
    """InputError where another board is asked for one of these: the laboratory's cell has no light
    sleep, and a device's rate and signal are parameters of its own there."""
    asked = [name for name in NAMES if name in parameters]
    if asked and board != libraries.BOARD:
        raise InputError(
            source,
            asked[0],
            f"does not apply to the board {board}",
            f"write 'board: {libraries.BOARD}', or remove it",
        )


def words(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the configuration line says of the radio, by key."""
    said = {name: parameters[name] for name in NAMES if name in parameters}
    if (power := said.pop("tx_power_dbm", None)) is not None:
        said["tx_power_qdbm"] = round(power * 4)
    return said


def told(event: Mapping[str, Any]) -> dict[str, Any]:
    """The board's `radio` line, in the units of parameters. It reports the power that was set, not
    the one that it sends with; a rate of 0 is none that is fixed."""
    found = {name: event.get(name) for name in ("phy", "channel", "rssi_dbm", "sleep")}
    power = event.get("tx_power_set_qdbm", -1)
    found["tx_rate_mbps"] = event.get("tx_rate_mbps") or "auto"
    found["tx_power_set_dbm"] = power / 4 if power >= 0 else "default"
    return found


def differs(parameters: Mapping[str, Any], reported: Mapping[str, Any]) -> str:
    """What the radio is set to in another way than the trial asks for; an empty text if nothing."""
    sleep = parameters.get("sleep_type", "modem") if parameters.get("modem_sleep") else "none"
    wanted = {"sleep": sleep, "tx_rate_mbps": parameters.get("tx_rate_mbps", "auto")}
    if "phy_mode" in parameters:
        wanted["phy"] = parameters["phy_mode"]
    if "tx_power_dbm" in parameters:
        wanted["tx_power_set_dbm"] = parameters["tx_power_dbm"]
    wrong = [
        f"{key} is {reported.get(key)}, not {value}"
        for key, value in wanted.items()
        if reported.get(key) != value
    ]
    return "; ".join(wrong)
