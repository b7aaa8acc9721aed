"""Do the facts of a trial follow the table of parameters, and does each rule name its key?"""

from __future__ import annotations

import dataclasses
import json

import pytest

from hil.design import rules
from hil.design.facts import Facts
from hil.design.parameters import table
from hil.design.studies import available, load_study

FIELDS = {field.name: field for field in dataclasses.fields(Facts)}


def test_every_parameter_is_a_fact_and_no_other() -> None:
    assert set(FIELDS) == set(table())


@pytest.mark.parametrize("name", [name for name in table() if name != "mode"])
def test_a_fact_that_is_not_stated_has_the_value_of_the_table(name: str) -> None:
    rule, default = table()[name], FIELDS[name].default
    if "default" not in rule and "absent" not in rule:
        assert default is dataclasses.MISSING
        return
    wanted = rule.get("default", rule.get("absent"))
    assert default == (tuple(wanted) if isinstance(wanted, list) else wanted)
    assert type(default) is type(wanted) or isinstance(wanted, list)


def test_an_absent_value_that_is_null_is_explained() -> None:
    unexplained = [
        name
        for name, rule in table().items()
        if "absent" in rule and rule["absent"] is None and not rule.get("absent_means")
    ]
    assert unexplained == []


def test_the_trials_of_every_study_have_facts_that_agree_with_their_parameters() -> None:
    for study in available():
        for trial in load_study(study).trials("quick"):
            for name, value in trial.parameters.items():
                known = json.loads(json.dumps(getattr(trial.facts, name)))  # tuples as lists
                assert known == value, trial.id


def test_a_trial_that_keeps_every_rule_is_accepted() -> None:
    rules.check(Facts("mqtt", "air", 30, 100, messages=1), "test")


def test_an_unknown_parameter_is_no_fact() -> None:
    with pytest.raises(TypeError, match="colour"):
        Facts.of({"protocol": "mqtt", "colour": "red"})
