"""The builds of the paper and of its artifact report: what LaTeX only warns of stops them and is
reported with its place; classes, authors, fonts, pages, and the same bytes wherever and whenever
they are built."""

import datetime
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

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


def lay_out(workdir, text):
    """A paper of one section with `text`, with the marks of the real preamble."""
    (workdir / "paper" / "sections").mkdir(parents=True)
    for name in ["build.sh", "check_log.py", "check_pdf.py", "authors.py", "authors.yaml"]:
        shutil.copy(PAPER / name, workdir / "paper" / name)
    for name, document in [("plain", "article"), ("far", "thinwire-no-such-class")]:
        file = workdir / "paper" / "classes" / f"{name}.tex"
        file.parent.mkdir(exist_ok=True)
        file.write_text(rf"\documentclass{{{document}}}", encoding="utf-8")
    preamble = (PAPER / "preamble.tex").read_text(encoding="utf-8").splitlines()
    marks = "\n".join(line for line in preamble if "thinwire-file" in line)
    for name in ["paper", "report"]:
        (workdir / "paper" / f"{name}.tex").write_text(DOCUMENT % marks, encoding="utf-8")
    (workdir / "paper" / "report").mkdir()
    (workdir / "paper" / "sections" / "part.tex").write_text(f"Text.\n\n{text}\n", encoding="utf-8")
    (workdir / "results" / "tables").mkdir(parents=True, exist_ok=True)
    for name in ["numbers.tex", "tables/claims.tex"]:
        (workdir / "results" / name).touch()


def typeset(workdir, *studies, report=False):
    """Run the build of the paper, or of its report, with the sections of these studies."""
    way = ["--report"] if report else []
    command = ["paper/build.sh", *way, "results/paper.pdf", "results", *studies]
    return subprocess.run(
        command, cwd=workdir, capture_output=True, text=True, errors="replace", check=False
    )


def build(workdir, text, *studies):
    """Build a paper of one section, and one for each of these studies."""
    lay_out(workdir, text)
    for name in studies:
        folder = workdir / "results" / "reports" / name
        folder.mkdir(parents=True)
        (folder / ".snakemake_timestamp").touch()
        number = rf"\newcommand{{\tw{name}}}{{1}}"
        (folder / "numbers.tex").write_text(number, encoding="utf-8")
        section = rf"\label{{{name}}}\input{{results/reports/{name}/table}}\tw{name}"
        (workdir / "paper" / "sections" / f"{name}.tex").write_text(section, encoding="utf-8")
        if name != "wrong":
            (folder / "table.tex").write_text("A table.", encoding="utf-8")
    return typeset(workdir, *studies)


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


def test_a_study_has_its_section_of_the_report_in_a_folder_of_its_own(tmp_path):
    lay_out(tmp_path, r"\ref{own}")
    folder = tmp_path / "results" / "reports" / "own"
    folder.mkdir(parents=True)
    (folder / "numbers.tex").touch()
    (folder / "table.tex").write_text("A table.", encoding="utf-8")
    section = r"\label{own}\input{results/reports/own/table}"
    (tmp_path / "paper" / "report" / "own.tex").write_text(section, encoding="utf-8")
    done = typeset(tmp_path, "own", report=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "report/own.tex" in done.stdout


def test_a_font_of_dots_or_one_that_is_not_embedded_stops_the_build(tmp_path):
    done = build(
        tmp_path,
        r"\immediate\pdfobj{<< /Type /Font /Subtype /Type3 >>}"
        r"\immediate\pdfobj{<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>}",
    )
    assert done.returncode == 1
    assert "a font of dots (Type 3)" in done.stderr
    assert "the font Helvetica is not embedded" in done.stderr
    assert [path.name for path in tmp_path.glob("results/*.pdf")] == ["paper-faulty.pdf"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nature", "--class nature: no such class; use one of far plain"),
        ("far", "far: LaTeX has no thinwire-no-such-class.cls; install texlive-publishers"),
    ],
)
def test_a_class_that_cannot_be_had_is_told(tmp_path, name, words):
    lay_out(tmp_path, "Text.")
    done = subprocess.run(
        ["paper/build.sh", "--class", name, "results/paper.pdf", "results"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("authors: []", "authors.yaml: authors: is no list; name one author at least"),
        ("authors: [{affiliation: A}]", "author 1: has no name"),
        ("authors: [{name: A, mail: b}]", "author 1: unknown key 'mail'; use name, affiliation"),
        ("authors: [{name: A, country: 5}]", "author 1: country: is no text"),
        ("authors: [", "authors.yaml: is no YAML"),
    ],
)
def test_a_wrong_file_of_authors_is_explained(tmp_path, text, words):
    lay_out(tmp_path, "Text.")
    (tmp_path / "paper" / "authors.yaml").write_text(text, encoding="utf-8")
    done = typeset(tmp_path)
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_paper_and_the_citation_have_the_same_authors():
    authors = yaml.safe_load((PAPER / "authors.yaml").read_text(encoding="utf-8"))["authors"]
    citation = yaml.safe_load((PAPER.parent / "CITATION.cff").read_text(encoding="utf-8"))
    assert [author["name"] for author in authors] == [
        author.get("name") or f"{author['given-names']} {author['family-names']}"
        for author in citation["authors"]
    ]


def pages(pdf):
    command = ["qpdf", "--show-npages", pdf]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_a_text_of_more_pages_than_the_paper_may_have_stops_the_build(tmp_path):
    """By the mark of the real preamble; the references are not counted."""
    preamble = (PAPER / "preamble.tex").read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(preamble) if "\\newcommand{\\fault}" in line]
    macros = "\n".join(preamble[starts[0] : starts[0] + 5])
    text = f"{macros}\n" + r"One.\newpage Two.\atmostpages{MOST}\newpage References."
    lay_out(tmp_path, text.replace("MOST", "2"))
    package = tmp_path / "paper" / "paper.tex"
    document = package.read_text(encoding="utf-8")
    package.write_text(document.replace("{graphicx}", "{graphicx,refcount}"), encoding="utf-8")
    assert typeset(tmp_path).returncode == 0
    assert pages(tmp_path / "results" / "paper.pdf") == 3
    part = tmp_path / "paper" / "sections" / "part.tex"
    part.write_text(text.replace("MOST", "1"), encoding="utf-8")
    done = typeset(tmp_path)
    assert done.returncode == 1
    assert "the text ends on page 2; the paper may have 1 pages, shorten it" in done.stderr


def real_paper(workdir, document="plain", *, report=False, **environment):
    """The project's own paper in this class, or its report, of a build without any study."""
    folder = PAPER / ("report" if report else "sections")
    sections = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.tex")))
    numbers = set(re.findall(r"\\(tw[A-Z][A-Za-z]*)", sections))
    shutil.copytree(PAPER, workdir / "paper")
    (workdir / "results" / "tables").mkdir(parents=True)
    tables = set(re.findall(r"\\fitted\{tables/(\w+)\}", sections))
    for name in {"claims", "reasons", *tables}:
        table = workdir / "results" / "tables" / f"{name}.tex"
        table.write_text(rf"\label{{tab:{name}}}" if name == "claims" else "", encoding="utf-8")
    defined = "\n".join(rf"\newcommand{{\{number}}}{{0}}" for number in sorted(numbers))
    (workdir / "results" / "numbers.tex").write_text(defined, encoding="utf-8")
    way = ["--report"] if report else []
    command = ["paper/build.sh", *way, "--class", document, "results/paper.pdf", "results"]
    done = subprocess.run(
        command,
        cwd=workdir,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return workdir / "results" / "paper.pdf"


@pytest.mark.parametrize("document", ["acmart", "ieee"])
def test_the_paper_fits_the_classes_of_the_field(tmp_path, document):
    assert real_paper(tmp_path, document).stat().st_size > 50_000


@pytest.mark.parametrize("document", ["plain", "acmart", "ieee"])
def test_the_report_is_built_without_any_study(tmp_path, document):
    assert real_paper(tmp_path, document, report=True).stat().st_size > 50_000


def test_the_paper_is_the_same_bytes_wherever_and_whenever_it_is_built(tmp_path):
    """Another path, temporary folder, home, locale and time zone; and no trace of today."""
    far = tmp_path / "an other place ü"
    for name in ["tmp", "home"]:
        (far / name).mkdir(parents=True)
    one = real_paper(tmp_path / "a")
    two = real_paper(
        far / "b",
        TMPDIR=str(far / "tmp"),
        HOME=str(far / "home"),
        LC_ALL="C.UTF-8",
        LANGUAGE="de",
        TZ="Asia/Tokyo",
    )
    assert one.read_bytes() == two.read_bytes()
    plain = tmp_path / "plain.pdf"
    subprocess.run(["qpdf", "--qdf", "--object-streams=disable", one, plain], check=True)
    text = plain.read_bytes()
    today = datetime.datetime.now(datetime.UTC)
    for stamp in [f"{today:%Y%m%d}", f"{today:%Y-%m-%d}", str(tmp_path)]:
        assert stamp.encode() not in text
    assert b"<pdfaid:part>2</pdfaid:part>" in text
    assert b"/OutputIntents" in text
