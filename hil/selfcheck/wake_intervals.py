"""Where staying in the cell is cheaper than waking: `python -m hil.selfcheck.wake_intervals`.

Prints CSV: a row for each way of waking from deep sleep, with the charge of a wake-up and, for each
sleep of a radio that stays, the interval from which on waking costs less. The phases are those that
are shipped (data/shipped/wakes.json); `thinwire ask --sleep deep` adds them up alike.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from typing import Any

from hil.base.documents import read_json
from hil.commands import ask, ask_deep, recommend, wakes
from hil.commands.recommend import Question
from hil.commands.wakes import Way
from hil.commands.wakes_text import interval

# Of this mode all ways were tried: TLS with a session that is kept, and forgotten.
MODE = "mqtt-qos1"
# A radio that stays: the name of its current in the document.
STAYING = {"awake": "listen", "modem sleep": "modem_sleep", "light sleep": "light_sleep"}
WAYS = tuple(
    Way(join=join, tls=tls, address=address, lookups=lookups)
    for join in ("cached", "scan")
    for tls in ("none", "kept", "forgotten")
    for address, lookups in (("static", False), ("dhcp", True))
)


def rows(document: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield a row for each way of waking: its levels, the charge in mC, and the intervals in s."""
    # Neither the interval nor the payload enters an interval from which on waking is cheaper.
    question = Question(payload=30, interval=60, sleep=ask_deep.SLEEP, modes=(MODE,))
    for way in WAYS:
        (wake,) = wakes.wake_ups(document, question, way)
        yield {
            "join": way.join,
            "address": way.address,
            "name and time": "asked" if way.lookups else "known",
            "TLS session": way.tls,
            "a wake-up, mC": interval((wake.uc[0] / 1000, wake.uc[1] / 1000)),
        } | {
            f"cheaper than {name} from, s": interval(wakes.break_even_s(document, wake, current))
            for name, current in STAYING.items()
        }


def main() -> int:
    """Print the table."""
    shipped = read_json(ask_deep.SHIPPED, "restore it from git")
    found = list(rows(recommend.read(ask.SHIPPED) | {"wakes": shipped}))
    writer = csv.DictWriter(sys.stdout, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
