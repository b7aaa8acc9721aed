"""What a trial may ask of physical boards: their air is as it is, and so is the access point."""

from __future__ import annotations

from hil.base.errors import InputError
from hil.rig.request import TrialRequest

# What only the lab can set.
_LAB = (
    "delay_ms", "jitter_ms", "loss_pct", "wifi_rate_mbps", "snr_db", "frame_error_rate",
    "server_link", "arrival_delay", "sleep_fetch_ms", "sleep_idle_ms", "sleep_wake_pct",
    "footprint_s",
)  # fmt: skip


def check(request: TrialRequest) -> None:
    """InputError for a trial that asks for another air."""
    asked = [name for name in _LAB if request.facts.states(name)]
    if request.facts.outages:
        asked.append("outages")
    if asked:
        raise InputError(
            f"trial {request.document['trial']}",
            asked[0],
            "cannot be made on physical boards",
            "leave it out; the study 'boards' asks for nothing that the air does not give",
        )


def check_access_point(request: TrialRequest, settings: dict[str, str]) -> None:
    """InputError for a trial that asks for another access point than the one with these settings
    (hostapd.conf(5), whose defaults hold for what is not there)."""
    older = "b" if settings.get("hw_mode") == "b" else "g"
    has = {
        "wifi_standard": "n" if settings.get("ieee80211n") == "1" else older,
        "dtim_period": settings.get("dtim_period", "2"),
        "beacon_interval_tu": settings.get("beacon_int", "100"),
    }
    for name, value in has.items():
        asked = getattr(request.facts, name)
        if request.facts.states(name) and str(asked) != value:
            raise InputError(
                f"trial {request.document['trial']}",
                name,
                f"{asked} is asked for, and the board's access point has {value}",
                "set the access point so (hostapd.conf of the cell), or leave it out",
            )
