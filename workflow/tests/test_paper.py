"""The paper's build: what LaTeX only warns of stops it and is told with its place."""

import shutil
import subprocess
from pathlib import Path

import pytest

PAPER = Path(__file__).resolve().parents[2] / "paper"
DOCUMENT = r"""
\documentclass{article}
\usepackage[numbers]{natbib}
\usepackage{graphicx}
%s
\InputIfFileExists{studies-numbers}{}{}
\begin{document}
\input{sections/part}
\InputIfFileExists{studies-sections}{}{}
\end{document}
"""


def lay_out(place, text):
    """A paper of one section with `text`, with the marks of the real preamble."""
    (place / "paper" / "sections").mkdir(parents=True)
    for name in ["build.sh", "check_log.py"]:
        shutil.copy(PAPER / name, place / "paper" / name)
    preamble = (PAPER / "preamble.tex").read_text(encoding="utf-8").splitlines()
    marks = "\n".join(line for line in preamble if "thinwire-file" in line)
    (place / "paper" / "paper.tex").write_text(DOCUMENT % marks, encoding="utf-8")
    (place / "paper" / "sections" / "part.tex").write_text(f"Text.\n\n{text}\n", encoding="utf-8")
    (place / "results" / "tables").mkdir(parents=True, exist_ok=True)
    for name in ["numbers.tex", "tables/claims.tex"]:
        (place / "results" / name).touch()


def typeset(place, *studies):
    """Run the paper's build with the sections of these studies."""
    command = ["paper/build.sh", "results/paper.pdf", "results", *studies]
    return subprocess.run(
        command, cwd=place, capture_output=True, text=True, errors="replace", check=False
    )


def build(place, text, *studies):
    """Build a paper of one section, and one for each of these studies."""
    lay_out(place, text)
    for name in studies:
        folder = place / "results" / "reports" / name
        folder.mkdir(parents=True)
        (folder / ".snakemake_timestamp").touch()
        number = rf"\newcommand{{\tw{name}}}{{1}}"
        (folder / "numbers.tex").write_text(number, encoding="utf-8")
        section = rf"\label{{{name}}}\input{{results/reports/{name}/table}}\tw{name}"
        (place / "paper" / "sections" / f"{name}.tex").write_text(section, encoding="utf-8")
        if name != "wrong":
            (folder / "table.tex").write_text("A table.", encoding="utf-8")
    return typeset(place, *studies)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"See \ref{nowhere}.", "part.tex:3: undefined reference 'nowhere'"),
        (r"See \cite{nobody}.", "part.tex:3: undefined citation 'nobody'"),
        (r"\label{a}\label{a}", "label 'a' is given twice"),
        (r"\hbox to 10pt{\rule{16pt}{1pt}}", "part.tex:3: a box is 6.0 pt too wide"),
        (r"\vbox to 10pt{\hrule height 16pt}", "part.tex:3: a box is 6.0 pt too high"),
        (r"\font\x=cmr10 \x\char200", r"part.tex: no glyph for \xc8"),
    ],
)
def test_a_fault_that_a_reader_would_see_names_its_place(tmp_path, text, words):
    done = build(tmp_path, text)
    assert done.returncode == 1
    assert words in done.stderr
    assert all(line.startswith("thinwire: error: ") for line in done.stderr.splitlines())
    assert [path.name for path in tmp_path.glob("results/*.pdf")] == ["paper-faulty.pdf"]


def test_a_paper_without_faults_is_built(tmp_path):
    done = build(tmp_path, r"\label{a}See \ref{a}. \hbox to 10pt{\rule{14pt}{1pt}}")
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in tmp_path.glob("results/*.pdf")] == ["paper.pdf"]


def test_a_study_has_its_section_where_a_trial_of_it_went_well(tmp_path):
    done = build(tmp_path, r"\ref{good}\ref{better}", "good", "wrong", "better")
    assert (done.returncode, done.stderr) == (0, "")
    assert "sections/wrong.tex" not in done.stdout
    assert done.stdout.index("sections/good.tex") < done.stdout.index("sections/better.tex")
