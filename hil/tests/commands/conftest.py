"""What several tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.tests.support.answers import make_model


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The models of trials whose truth is known."""
    return make_model(tmp_path_factory.mktemp("model"))
