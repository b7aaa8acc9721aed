"""The page in a browser: every control, by hand, keyboard and name, on a desk and a phone.

`make test-page`. The browser is the chromium of the system, or the one that CHROMIUM names.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from hil.commands import ranking, recommend
from hil.commands.recommend import Question
from hil.tests.support.answers import BUSY, QUESTIONS
from hil.tests.support.chromium import open_page

PARTS = ("decide", "claims", "explore", "league", "waking", "captures", "provenance", "glossary")
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
MOST_BYTES = 5_000_000
USABLE_S = 2.0
# no preload: a file may not read another file
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}


def _ask(built: Path, *words: str) -> dict:
    """What `thinwire ask` says of the same model."""
    command = [sys.executable, "-m", "hil.cli", "ask", "--model", built.parent / "decide.json"]
    done = subprocess.run([*command, *words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_part_is_whole_and_can_be_read_by_all(browser, place, size, scheme):
    page = open_page(browser, place, viewport=SIZES[size], color_scheme=scheme)
    for part in PARTS:
        page.click(f"nav a[href='#{part}']")
        expect(page.locator(f"#{part}")).to_be_visible()
        if part in ("decide", "explore"):
            page.wait_for_selector(f"#{part} .chart svg")
        # nothing sticks out of a phone's width
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"], part
        found = Axe().run(page, options=AXE)
        violations = [
            (rule["id"], rule["nodes"][0]["html"]) for rule in found.response["violations"]
        ]
        assert violations == [], part
    assert page.reports == []
    page.context.close()


def test_it_is_small_and_soon_usable(browser, place):
    assert sum(file.stat().st_size for file in place.rglob("*")) < MOST_BYTES
    took = []
    for _ in range(3):  # beside other work, one of three is enough
        began = time.monotonic()
        page = open_page(browser, place)
        page.wait_for_selector("#decide .chart svg")
        took.append(time.monotonic() - began)
        page.context.close()
    assert min(took) < USABLE_S


def test_the_answer_is_that_of_the_terminal(page, built):
    words = {"payload": 40, "interval": 60, "load": "web-10", "sleep": "modem", "battery": 500}
    asked = [text for name, value in words.items() for text in (f"--{name}", str(value))]
    rows = _ask(built, *asked)["answer"]
    ours = page.evaluate(
        "(asked) => decide.rank(asked).map((row) => ({mode: row.mode.name, ...row.values}))",
        {**words, "security": "none", "guarantee": "at-most-once", "weights": {"battery": 1}},
    )
    assert [row["mode"] for row in ours] == [row["mode"] for row in rows]
    for one, other in zip(ours, rows, strict=True):
        for name in ("battery", "charge", "bytes", "airtime", "delivered", "ram"):
            expected = other[name] and pytest.approx(other[name], rel=1e-9)
            assert one[name] == expected, (one["mode"], name)


def test_the_answers_are_those_of_the_terminal_at_every_question(page, built):
    """A test of `thinwire ask` holds the same questions against R's own regression."""
    document = recommend.read(built.parent / "decide.json")
    questions = [Question(**question) for question in QUESTIONS]
    ours = page.evaluate(
        "(all) => all.map((asked) =>"
        " decide.rank(asked).map((row) => [row.mode.name, row.values, row.tied]))",
        [{**vars(question), "security": "none"} for question in questions],
    )
    for question, answer in zip(questions, ours, strict=True):
        theirs = ranking.rank(document, question)
        assert [name for name, *_ in answer] == [row.mode for row in theirs], question
        assert [tied for *_, tied in answer] == [row.tied for row in theirs], question
        for (mode, values, _), row in zip(answer, theirs, strict=True):
            for name, value in row.values.items():
                expected = value and pytest.approx(value._asdict(), rel=1e-9, nan_ok=True)
                assert values[name] == expected, (question, mode, name)


def test_an_address_without_weights_is_answered_by_battery(browser, built):
    opened = open_page(browser, built, "#decide?payload=40&interval=60")
    expect(opened.locator("#verdict")).to_contain_text("battery life")
    assert "battery_w=1" in opened.url
    opened.get_by_label("Rank by").select_option("several, weighed")
    opened.locator("input[name=battery_w]").fill("0")
    opened.reload()
    expect(opened.locator("#verdict")).to_have_text(
        "Nothing matters yet: move at least one slider above 0."
    )
    opened.context.close()


def test_three_inputs_change_the_answer_and_the_address(page):
    expect(page.locator("#ranking tbody tr")).to_have_count(3)
    page.locator("#question").get_by_label("Guarantee, at least").select_option("exactly-once")
    expect(page.locator("#ranking tbody tr")).to_have_count(1)
    expect(page.locator("#verdict")).to_contain_text("MQTT QoS 2")
    page.locator("#question").get_by_label("Payload, bytes").fill("500")
    assert "payload=500" in page.url
    assert "guarantee=exactly-once" in page.url
    page.reload()
    expect(page.locator("#question").get_by_label("Payload, bytes")).to_have_value("500")
    expect(page.locator("#ranking tbody tr")).to_have_count(1)


def test_where_there_is_no_data_it_names_the_trials(page):
    expect(page.locator("#ranking tbody tr").last).to_contain_text("no data")
    page.locator("#question").get_by_label("One message every, s").fill("86400")
    expect(page.locator("#verdict")).to_contain_text("No trial has this interval")
    expect(page.locator("#commands")).to_contain_text("--interval 86400")
    expect(page.locator("#commands")).to_contain_text("--write-study mine")
    expect(page.locator("#copy-table")).to_be_hidden()
    # nothing else stands below a question without an answer
    expect(page.locator("#flips")).to_be_hidden()


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("Payload, bytes", "Enter the payload: 10 to 15360 bytes were measured."),
        ("Battery, mAh", "Enter a battery above 0 mAh."),
    ],
)
def test_what_no_trial_would_answer_asks_for_none(page, field, text):
    page.locator("#question").get_by_label(field).fill("0")
    expect(page.locator("#verdict")).to_have_text(text)
    expect(page.locator("#repeat")).to_be_hidden()


def test_weights_are_moved_by_keys(page):
    expect(page.locator("#weights")).to_be_hidden()
    page.get_by_label("Rank by").select_option("several, weighed")
    # what was chosen before has its weight already
    expect(page.locator("#weights output").first).to_have_text("1")
    page.get_by_role("slider", name="battery").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#verdict")).to_contain_text("Nothing matters yet")
    page.get_by_role("slider", name="flash").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("slider", name="bytes on the wire").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#ranking thead")).to_contain_text("score")
    assert "bytes_w=1&" in page.url


def test_the_whole_form_is_reached_by_keys(page):
    page.locator("body").press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.id"))
    fields = page.evaluate(
        "[...document.querySelectorAll('#question [name]')].filter((f) => f.checkVisibility())"
        ".map((f) => f.name)"
    )
    assert len(fields) == 7
    for name in [*fields, "copy-table", "copy-record", "save-svg", "flip-quantity", "flip-by"]:
        assert name in reached


def test_the_numbers_of_the_table_are_one_stop_and_arrows_move_between_them(page):
    assert page.locator("#ranking button[tabindex='0']").count() == 1
    page.locator("#ranking tbody button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#ranking tbody tr").nth(1).locator("button").nth(1)).to_be_focused()


def test_a_number_explains_itself(page):
    page.get_by_role("button", name="bytes, CoAP CON: explain").click()
    dialog = page.locator("#explain")
    expect(dialog.locator("h3")).to_have_text("CoAP CON: bytes on the wire")
    for text in ("95 % of the mean", "Bytes of IP packets", "A regression over", "in the median"):
        expect(dialog).to_contain_text(text)
    expect(dialog).to_contain_text("thinwire trial run s --trial coap-con_40_1000_web_1")
    expect(dialog).to_contain_text("thinwire ask --payload 40 --interval 60 --load web-10")
    assert page.evaluate("document.querySelector('#explain').matches(':modal')")
    dialog.get_by_role("link", name="s/coap-con_40_1000_web_1").click()
    expect(page.locator("#bundle tbody tr")).to_contain_text(["coap-con_40_1000_web_1"])


def test_the_head_of_a_column_defines_it(page):
    page.get_by_role("button", name="battery life, days").press("Enter")
    expect(page.locator("#explain")).to_contain_text("Capacity divided by")
    page.keyboard.press("Escape")
    expect(page.locator("#explain")).to_be_hidden()


def test_only_the_chosen_modes_are_compared_and_a_named_baseline_is_ranked(page, built):
    page.get_by_text("Compare only some modes").click()
    page.get_by_label("Others on the access point").select_option("idle")
    page.get_by_label("raw UDP", exact=True).check()
    page.get_by_label("MQTT QoS 2", exact=True).check()
    expect(page.locator("#ranking tbody tr")).to_have_count(2)
    expect(page.locator("#verdict")).to_contain_text("raw UDP")
    assert "modes=mqtt-qos2%2Cudp-plain" in page.url
    expect(page.locator("#commands")).to_contain_text("--modes mqtt-qos2 udp-plain")
    asked = ["--payload", "40", "--interval", "60", "--sleep", "modem", "--battery", "500"]
    rows = _ask(built, *asked, "--modes", "mqtt-qos2", "udp-plain")["answer"]
    ours = page.locator("#ranking tbody th").all_inner_texts()
    assert [text.splitlines()[0] for text in ours] == [row["label"] for row in rows]


def test_the_answer_can_be_shared_as_a_picture(page):
    verdict = page.locator("#verdict").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    root = ElementTree.parse(download.value.path()).getroot()
    texts = [element.text for element in root.iter() if element.text and element.text.strip()]
    assert texts[0] == verdict
    assert "CoAP CON" in texts
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_phone_shows_the_answer_first(browser, place):
    page = open_page(browser, place, viewport=SIZES["phone"])
    box = page.locator("#verdict").bounding_box()
    assert box["y"] + box["height"] < SIZES["phone"]["height"]
    page.context.close()


def test_where_the_ranking_flips_is_told(page):
    page.locator("#flip-quantity").select_option("bytes")
    page.locator("#flip-by").select_option("interval")
    expect(page.locator("#flips")).to_contain_text("Best at every interval between 0.1 and 3600 s")
    page.wait_for_selector("#flip-chart svg")
    assert (
        page.locator("#flip-chart").get_attribute("aria-label").startswith("The quantity of each")
    )


def test_a_decision_record_holds_question_answer_and_commands(browser, built):
    page = open_page(browser, built, BUSY + "&battery_w=1", permissions=["clipboard-read"])
    # from a file the clipboard may be refused: then the text is shown
    shown: list[str] = []
    page.on("dialog", lambda dialog: (shown.append(dialog.default_value), dialog.accept()))
    page.get_by_role("button", name="Copy decision record").click()
    page.wait_for_timeout(200)
    text = shown[0] if shown else page.evaluate("navigator.clipboard.readText()")
    assert "Answer: The trials find no difference in battery life between CoAP CON and" in text
    assert "thinwire trial run s --trial coap-con_40_1000_web_1 --out /tmp/again" in text
    assert "#decide?payload=40&interval=60&load=web-10&" in text
    page.context.close()
