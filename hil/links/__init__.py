"""Networks between a board and the servers, behind one interface."""

from __future__ import annotations

from hil.links.air import AirLink
from hil.links.base import Link
from hil.links.netem import NetemLink

LINKS: dict[str, type[Link]] = {"netem": NetemLink, "air": AirLink}
