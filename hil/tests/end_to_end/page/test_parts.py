"""The other parts of the page in a browser, and the questions of a newcomer."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hil.tests.support.answers import TRIALS


def test_claims_are_counted_filtered_and_open(page):
    page.click("nav a[href='#claims']")
    expect(page.locator("#claim-answer")).to_contain_text("Of 2 statements, 1 are reproduced")
    expect(page.locator("#claim-counts")).to_contain_text("Cosmi and Mota, 2018")
    # what is contradicted comes first
    expect(page.locator("#claim-count")).to_have_text("1 of 2 statements")
    verdict = page.locator("#claim-filters").get_by_label("Verdict")
    expect(verdict).to_have_value("contradicted")
    verdict.select_option("all")
    expect(page.locator("#claim-count")).to_have_text("2 of 2 statements")
    page.reload()
    expect(page.locator("#claim-count")).to_have_text("2 of 2 statements")
    # MQTT-SN is not MQTT
    page.locator("#claim-filters").get_by_label("Protocol").select_option("mqtt")
    expect(page.locator("#claim-count")).to_have_text("1 of 2 statements")
    page.locator("#claim-filters").get_by_label("Protocol").select_option("all")
    page.get_by_role("button", name="1 reproduced, ufes2018").click()
    entry = page.locator("#claim-list details")
    expect(entry).to_have_count(1)
    expect(entry).to_contain_text("MQTT is faster </script> than CoAP.")
    entry.locator("summary").press("Enter")
    expect(entry).to_contain_text("data/raw/s/coap-con_10_1000_none_0")
    expect(entry).to_contain_text("thinwire trial run s --trial coap-con_10_1000_none_0")
    page.locator("#claim-filters").get_by_label("Text").fill("nothing like it")
    expect(page.locator("#claim-count")).to_have_text("0 of 2 statements")


def test_explore_draws_and_gives_its_data(page):
    page.click("nav a[href='#explore']")
    page.locator("#explore-form").get_by_label("Metric").select_option("airtime_per_message_us")
    page.locator("#explore-form [name=factor]").select_option("payload_bytes")
    # like with like: other factors stay at one level, until they are set free
    expect(page.locator("#explore-count")).to_contain_text("with background profile none")
    expect(page.locator("#explore-definition")).to_contain_text("airtime per message: ")
    for select in page.locator("#explore-filters select").all():
        select.select_option("(all)")
    expect(page.locator("#explore-count")).to_have_text(f"{len(TRIALS)} trials")
    expect(page.locator("#explore-chart svg .mark-symbol path").first).to_be_attached()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(TRIALS)
    row = next(row for row in rows if row["trial"] == "coap-con_1000_60000_none_1")
    assert float(row["airtime_per_message_us"]) > 1250
    page.locator("#explore-form").get_by_label("Logarithmic").check()
    assert "log=1" in page.url


def test_a_mode_without_captures_says_so(page):
    page.click("nav a[href='#captures']")
    expect(page.locator("#captures")).to_contain_text("One exchange, step by step")
    expect(page.locator("#line-csv")).to_be_disabled()


# Questions of a newcomer: what to click, one after the other, and where the answer stands then.
QUESTIONS_OF_A_NEWCOMER = {
    "which protocol for a battery": ([], "#verdict", "battery life"),
    "MQTT or CoAP": (["MQTT or CoAP?"], "#ranking tbody", "CoAP CON"),
    "how sure is a number": (["µs, CoAP CON: explain"], "#explain", "95 % of the mean"),
    "does a published claim hold": (["Claims", "1 contradicted, ufes2018"], "#claim-list", "loses"),
    "which library survives a restart": (["Libraries"], "#league .answer", "clients deliver every"),
    "what does TLS cost a sleeper": (["Waking, faults"], "#waking", "pre-shared key"),
}


@pytest.mark.parametrize("question", QUESTIONS_OF_A_NEWCOMER)
def test_a_newcomer_finds_the_answer_with_two_clicks_at_most(page, question):
    clicks, place, answer = QUESTIONS_OF_A_NEWCOMER[question]
    assert len(clicks) <= 2
    for name in clicks:
        named = page.get_by_role("link", name=name).or_(page.get_by_role("button", name=name))
        named.first.click()
    expect(page.locator(place)).to_be_visible()
    expect(page.locator(place)).to_contain_text(answer)


def test_provenance_finds_a_bundle(page):
    page.click("nav a[href='#provenance']")
    page.locator("#provenance-form").get_by_label("Trial").fill("mqtt-qos2_40_1000_web_1")
    rows = page.locator("#bundle tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("button", name="copy the image's digest")).to_have_text("01234567…")
    expect(rows).to_contain_text("thinwire trial run s --trial mqtt-qos2_40_1000_web_1")
