"""Are the layers of the analysis R packages that install elsewhere, measure, and are documented?"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT

LAYERS = ("capture", "study", "report")
MEASURE = """
library(thinwire.report)
metrics <- thinwire.capture::analyze_capture("http_tls13.pcapng.gz", "127.0.0.1",
                                             ports = c(tls = 4413L))
cat(metrics$value[metrics$metric == "messages"])
"""


def _has_roxygen() -> bool:
    words = ["Rscript", "-e", "quit(status = !requireNamespace('roxygen2', quietly = TRUE))"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the three packages, as `make r-packages` builds them."""
    if not _has_roxygen():
        pytest.skip("roxygen2 is missing: setup/install setup/r")
    folder = tmp_path_factory.mktemp("library")
    subprocess.run([ROOT / "tools" / "r-packages", folder], check=True)
    return folder


@pytest.mark.slow
def test_an_installed_package_measures_a_capture_outside_the_clone(library, tmp_path):
    name = "http_tls13.pcapng.gz"
    (tmp_path / name).write_bytes((ROOT / "workflow/R/tests/captures" / name).read_bytes())
    environment = {**os.environ, "R_LIBS": str(library)}
    done = subprocess.run(
        ["Rscript", "-e", MEASURE], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert int(done.stdout) > 0


@pytest.mark.slow
def test_every_exported_function_has_a_page(library):
    for layer in LAYERS:
        folder = ROOT / "build" / "r" / f"thinwire.{layer}"
        pages = "".join(page.read_text(encoding="utf-8") for page in folder.glob("man/*.Rd"))
        documented = set(re.findall(r"^\\alias\{(.*?)\}", pages, re.MULTILINE))
        text = (folder / "NAMESPACE").read_text(encoding="utf-8")
        exported = set(re.findall(r"[A-Za-z_.0-9]+", re.search(r"export\((.*?)\)", text, re.S)[1]))
        assert exported - documented == set(), layer
