"""Has each mode of the comparing studies the conditions that their tables and models compare?"""

from collections import defaultdict

from hil.design.protocols import modes
from hil.design.studies import load_study


def modes_by(study: str, *factors: str) -> dict[tuple[object, ...], set[str]]:
    """Return the modes of the default build that a study runs, by the levels of these factors."""
    found = defaultdict(set)
    for trial in load_study(study).trials("quick"):
        levels = tuple(trial.parameters[name] for name in factors)
        found[levels].add(trial.parameters["mode"])
    return found


def test_the_matrix_has_each_mode_under_each_condition() -> None:
    # A mode that lacks one is an empty row in tables and figures.
    found = modes_by("matrix", "payload_bytes", "interval_ms", "background_profile")
    assert set(map(frozenset, found.values())) == {frozenset(modes())}


def test_the_sensor_has_the_long_intervals_of_each_mode_but_amqp() -> None:
    # A mode without them has another slope between a minute and an hour, so another rank.
    found = modes_by("sensor", "interval_ms")
    short, hour = found[1000,], found[3600000,]
    assert {mode for mode in short - hour if not mode.startswith("amqp")} == set()
