"""What a trial may ask of physical boards, whose air and access point no parameter controls."""

from __future__ import annotations

from hil.base.errors import InputError
from hil.design.facts import Facts
from hil.design.parameters import table
from hil.rig.request import TrialRequest

# Parameters of the link that physical boards can set. All others, also new ones, are refused.
PHYSICAL = frozenset(
    (
        "background_direction", "background_hidden", "background_load_mbps", "background_profile",
        "background_stations", "beacon_interval_tu", "capture_beacons", "dtim_period",
        "join", "modem_sleep", "phy_mode", "sleep_type", "tx_power_dbm", "tx_rate_mbps",
        "wifi_security", "wifi_standard",
    )
)  # fmt: skip


def laboratory_only() -> list[str]:
    """Return the parameters that only the laboratory can set, in the order of their table."""
    links = (name for name, rule in table().items() if "link" in rule.get("applies", {}))
    others = ("footprint_s", "faults", "nat_timeout_s")
    return [*(name for name in links if name not in PHYSICAL), *others]


def check(trial: str, facts: Facts) -> None:
    """InputError if the trial of this name sets what the air of physical boards cannot provide."""
    unmet = [name for name in laboratory_only() if facts.states(name)]
    if facts.outages:
        unmet.append("outages")
    if unmet:
        raise InputError(
            f"trial {trial}",
            unmet[0],
            "cannot be set on physical boards",
            "remove it; the study 'boards' sets only what physical boards provide",
        )


def check_access_point(request: TrialRequest, settings: dict[str, str]) -> None:
    """InputError if a trial asks for another access point than the one with these settings
    (hostapd.conf(5), whose defaults hold for missing keys)."""
    older = "b" if settings.get("hw_mode") == "b" else "g"
    has = {
        "wifi_standard": "n" if settings.get("ieee80211n") == "1" else older,
        "dtim_period": settings.get("dtim_period", "2"),
        "beacon_interval_tu": settings.get("beacon_int", "100"),
        # each has a passphrase; hostapd's bit 0 of `wpa` is the older WPA
        "wifi_security": "wpa2-psk" if settings.get("wpa", "2") == "2" else "WPA",
    }
    joins = {"wifi_security"} if request.facts.joins else set()  # where its default is a condition
    for name, value in has.items():
        wanted = getattr(request.facts, name)
        if (request.facts.states(name) or name in joins) and str(wanted) != value:
            raise InputError(
                f"trial {request.document['trial']}",
                name,
                f"{wanted} is asked for, but the board's access point has {value}",
                "configure the access point (hostapd.conf of the cell), or remove the parameter",
            )
