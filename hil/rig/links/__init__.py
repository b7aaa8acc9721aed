"""Networks between a board and the servers, behind one interface."""

from __future__ import annotations

from hil.rig.links.air import AirLink
from hil.rig.links.base import Link
from hil.rig.links.netem import NetemLink

LINKS: dict[str, type[Link]] = {
    "air": AirLink,
    "netem": NetemLink,
}
