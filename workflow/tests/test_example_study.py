"""The example of docs/add-a-study.md: run as it stands there, and with a report of its own."""

import os
import re
import shutil
import subprocess

import pytest
import test_paper
from test_workflow import lay_out
from working_folder import CONFIG, ROOT

REPORT = "results/reports/fragments"
OWN = """\
# The report of the example.

#' @param study see [make_report()].
report_fragments <- function(study) {
  mean <- study$metrics[metric == "bytes_per_message", mean(value)]
  figure <- study_figure("bytes", study$metrics, study$samples, study$factors)
  list(figures = list(mean = figure), tables = list(mean = latex_number(mean)),
       numbers = latex_macro("twMean", latex_number(mean)))
}
"""
SECTION = r"""
\section{Fragments}\label{sec:fragments}
A message costs \twMean\ bytes.

\noindent\input{results/reports/fragments/mean}

\noindent\includegraphics[width=\linewidth]{results/reports/fragments/mean.pdf}
"""


def snakemake(workdir, *arguments):
    """Run Snakemake on the project's copy in `workdir`, its command line included."""
    done = subprocess.run(
        ["snakemake", "--cores", "2", *arguments],
        cwd=workdir,
        env={**os.environ, "PYTHONPATH": str(workdir)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def texts(figure):
    """What is written in a figure."""
    plain = ["qpdf", "--qdf", "--object-streams=disable", figure, "-"]
    page = subprocess.run(plain, capture_output=True, check=True).stdout.decode("latin-1")
    shown = re.findall(r"^(.*)T[jJ]$", page, re.MULTILINE)
    return ["".join(re.findall(r"\(([^)]*)\)", words)) for words in shown]


@pytest.fixture(scope="module")
def workdir(tmp_path_factory):
    """A copy of the project that has the example as its study, and has run it."""
    workdir = tmp_path_factory.mktemp("example")
    lay_out(workdir)
    (workdir / "hil").unlink()
    shutil.copytree(ROOT / "hil", workdir / "hil", ignore=shutil.ignore_patterns("tests"))
    page = (ROOT / "docs" / "add-a-study.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^```yaml\n(study: .*?)^```", page, re.MULTILINE | re.DOTALL)
    (workdir / "workflow/studies/fragments.yaml").write_text(example, encoding="utf-8")
    config = CONFIG.replace("[smoke]", "[fragments]")
    (workdir / "config.yaml").write_text(config, encoding="utf-8")
    snakemake(workdir, REPORT)
    return workdir


@pytest.mark.lab
def test_the_example_is_drawn_with_a_row_and_a_panel_for_each_payload(workdir):
    names = {path.name for path in (workdir / REPORT).glob("[!.]*")}
    assert names == {"rtt.pdf", "bytes.pdf", "table.tex", "numbers.tex"}
    table = (workdir / REPORT / "table.tex").read_text(encoding="utf-8")
    assert re.findall(r"& (\d+ bytes) &", table) == ["500 bytes", "536 bytes", "600 bytes"]
    for figure in ("rtt.pdf", "bytes.pdf"):
        labels = [text for text in texts(workdir / REPORT / figure) if text.endswith(" bytes")]
        assert sorted(set(labels)) == ["500 bytes", "536 bytes", "600 bytes"], figure
    numbers = (workdir / REPORT / "numbers.tex").read_text(encoding="utf-8")
    assert r"\newcommand{\twFragmentsTrials}{6}" in numbers


@pytest.mark.lab
def test_a_report_of_its_own_is_two_files_and_measures_nothing_again(workdir):
    """The file of R makes the report, the file of LaTeX its section of the report."""
    own = workdir / "workflow/R/report/R/report_fragments.R"
    own.write_text(OWN, encoding="utf-8")
    study = workdir / "workflow/studies/fragments.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text(re.sub(r"^figures: .*$", "report: fragments", text, flags=re.M), "utf-8")
    said = snakemake(workdir, REPORT)
    messages = set(re.findall(r"^Job \d+: (.+)$", said, re.MULTILINE))
    assert messages == {"Reporting fragments"}
    names = {path.name for path in (workdir / REPORT).glob("[!.]*")}
    assert names == {"mean.pdf", "mean.tex", "numbers.tex"}
    (workdir / "paper").unlink()
    test_paper.lay_out(workdir, r"See section~\ref{sec:fragments}.")
    (workdir / "paper/report/fragments.tex").write_text(SECTION, encoding="utf-8")
    done = test_paper.typeset(workdir, "fragments", report=True)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ["report/fragments.tex", *(f"{REPORT}/mean.{end}" for end in ("tex", "pdf"))]:
        assert name in done.stdout, name
