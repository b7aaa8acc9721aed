"""Save the answer for the README and photograph the page's parts: `python tools/pictures.py`.

From results/report into docs/answer.svg and docs/page-*.png.
"""

from __future__ import annotations

import sys

from hil.base.paths import ROOT
from hil.tests.support import chromium

PAGE = ROOT / "results/report/index.html"
SENSOR = "#decide?payload=40&interval=60&load=web-video-bulk-60&sleep=light"
AIRTIME = "#explore?study=matrix&metric=airtime_per_message_us&factor=mode"

# of each picture: the address, the size of the window, its colours, and what to open first
PICTURES = {
    "decide": (SENSOR, (1240, 1400), "light", None),
    "claims": (
        "#claims?source=ufes2018&verdict=contradicted",
        (1240, 760),
        "light",
        "#claim-list summary",
    ),
    "explore": (AIRTIME, (1240, 700), "dark", None),
    "captures": ("#captures?mode=coap-con", (1240, 900), "light", None),
    "phone": (SENSOR, (390, 1160), "light", None),
}


def main() -> int:
    """Write each picture; status 2 where there is no page."""
    if not PAGE.is_file():
        print(f"pictures: {PAGE} is not there: make paper", file=sys.stderr)
        return 2
    with chromium.started() as browser:
        for name, (address, (width, height), scheme, to_open) in PICTURES.items():
            size = {"width": width, "height": height}
            page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            page.goto(PAGE.as_uri() + address)
            page.wait_for_selector("body[data-ready]")
            if to_open:
                page.locator(to_open).first.click()
            page.wait_for_timeout(1000)
            if name == "decide":
                with page.expect_download() as download:
                    page.click("#save-svg")
                download.value.save_as(ROOT / "docs/answer.svg")
            page.screenshot(path=ROOT / f"docs/page-{name}.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
