"""Do expectations name the metric that is meant, with its limit in a unit that can be compared?"""

from __future__ import annotations

import pytest

from hil.base.errors import InputError
from hil.design import expectations
from hil.design.expectations import Expectation


def parse(name: str, value: str | float) -> Expectation:
    (found,) = expectations.parse({name: value}, "thinwire.yaml", [f"expect.{name}"])
    return found


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("delivered", "100 %", ("delivered_of_sent_pct", "=", 100, "%")),
        ("delivered", ">= 40", ("delivered", ">=", 40, "")),
        ("duplicates", 0, ("duplicates", "=", 0, "")),
        ("duplicates", "== 0 messages", ("duplicates", "=", 0, "messages")),
        ("back_after_outage_s", "<= 10", ("back_after_outage_s", "<=", 10, "")),
        ("back_after_outage", "<=1.5 min", ("back_after_outage_s", "<=", 90, "s")),
        ("memory_free_min", ">= 8 kB", ("memory_free_min_bytes", ">=", 8000, "bytes")),
        ("memory_free_min_bytes", "> 8KiB", ("memory_free_min_bytes", ">", 8192, "bytes")),
        ("bytes_per_message", "<= 300", ("bytes_per_message", "<=", 300, "")),
        ("bytes_per_message", "< 0.3 kB", ("bytes_per_message", "<", 300, "bytes")),
        ("request_ack_p95_ms", "<= 2e-1 s", ("request_ack_p95_ms", "<=", 0.2, "s")),
        ("ledger_header_bytes", "< 5", ("ledger_header_bytes", "<", 5, "")),
        ("rtt_mean_ms_ci95_high", "< 5", ("rtt_mean_ms_ci95_high", "<", 5, "")),
        ("charge_per_message", "<= 60 uC", ("charge_per_message_uc", "<=", 60, "uC")),
    ],
)
def test_an_expectation_is_read(
    name: str, value: str | float, wanted: tuple[str, str, float, str]
) -> None:
    metric, operator, limit, unit = wanted
    assert parse(name, value) == Expectation(
        name, str(value), metric, operator, pytest.approx(limit), unit
    )


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("retransmisions", 0, "unknown metric; did you mean 'retransmissions'?"),
        ("xyzzy", 0, "unknown metric; docs/metrics.md lists them"),
        ("delivered", "100 percent", "unknown unit 'percent'"),
        ("back_after_outage_s", "<= 10 kB", "'kB' is no unit of this metric"),
        ("messages", "<= 10 s", "'s' is no unit of this metric"),
        ("messages", "", "'' is no expectation"),
        ("messages", "<= 1 2 3", "'<= 1 2 3' is no expectation"),
        ("messages", "=> 1", "'=> 1' is no expectation"),
        ("messages", "<= 1,5", "unknown unit ',5'"),
    ],
)
def test_a_mistake_is_refused(name: str, value: str | float, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(name, value)
    assert words in str(caught.value) and caught.value.status == 2


def test_the_metrics_are_those_of_the_page() -> None:
    names = expectations.metric_names()
    wanted = {"messages", "malformed", "duplicates", "back_after_outage_s", "rtt_min_ms"}
    assert wanted | {"request_ack_p99_ms", "memory_free_min_bytes"} <= set(names)
    assert not {name for name in names if " " in name or name.startswith("_")}
