"""Do all spellings of yes and no in the configuration have the same meaning?"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import validate
from hil.design import settings


def config(**changes: Any) -> dict[str, Any]:
    """config.yaml with some values changed, made plain and checked."""
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    made = yaml.safe_load(text) | changes
    settings.make_plain(made)
    validate(made, "config", "config.yaml")
    return made


@pytest.mark.parametrize("no", [False, "False", "false", "FALSE", "no", "No", "off"])
def test_no_in_all_spellings(no: Any) -> None:
    made = config(nbiot=no, cell=no, recordings=no)
    assert (made["nbiot"], made["cell"], made["recordings"]) == (False, False, "no")


@pytest.mark.parametrize("yes", [True, "True", "true", "yes", "YES", "on"])
def test_yes_in_all_spellings(yes: Any) -> None:
    made = config(nbiot=yes, recordings=yes)
    assert (made["nbiot"], made["recordings"]) == (True, "yes")


def test_one_study_and_no_mirror() -> None:
    made = config(studies="smoke", mirror=None, recordings="auto")
    assert (made["studies"], made["mirror"], made["recordings"]) == (["smoke"], "", "auto")


@pytest.mark.parametrize("value", ["maybe", 2, "", None])
def test_what_is_neither_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"config\.yaml: nbiot: .* is not of type boolean"):
        config(nbiot=value)
