"""`thinwire show [STUDY]`: what a study found, in words and figures; or the page of all results."""

from __future__ import annotations

import argparse
import html
import json
import subprocess
import sys
import webbrowser
from pathlib import Path

from hil.base.errors import InputError, LabError
from hil.base.paths import ROOT
from hil.commands import analysis, complete, project
from hil.design.studies import load_study
from hil.system import tools

SCRIPT = ROOT / "workflow" / "scripts" / "show.R"
DESCRIPTION = """\
Show the results of a study: a line for each kind of trial, and its figures in the browser. The
study must have been run and measured: snakemake --cores all --config 'studies=[STUDY]'.

  thinwire show                     # the page of all results
  thinwire show matrix
  thinwire show mine --no-open
"""
PAGE = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1rem }} object {{ width: 100%; height: 80vh }}
pre {{ overflow-x: auto }}</style>
<h1>{title}</h1>
<p>{question}</p>
<pre>{summary}</pre>
{figures}
"""
FIGURE = """\
<h2>{name}</h2>
<object data="{file}" type="application/pdf"><a href="{file}">{file}</a></object>"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    study = parser.add_argument(
        "study", nargs="?", metavar="STUDY", help="the study; without one, the page is shown"
    )
    study.completer = complete.studies  # type: ignore[attr-defined]
    parser.add_argument(
        "--no-open", action="store_true", help="only print the summary and the names of the files"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, and open nothing")


def _tables(study: str) -> list[str]:
    """Return the options that name the study's tables.

    Raises:
        InputError: one of them is missing.
    """
    words = []
    for kind, ending in (("metrics", "csv"), ("samples", "csv.gz"), ("factors", "csv")):
        table = project.path(f"results/{kind}/{study}.{ending}")
        if not table.is_file():
            goal = f"results/reports/{study}"
            remedy = project.remake(goal, f"--config 'studies=[{study}]' ")
            raise InputError(table, "", "is not there", remedy)
        words += [f"--{kind}", str(table)]
    return words


def _show_page(arguments: argparse.Namespace) -> int:
    """Print where the page of all results is and which build it shows, and open it.

    Raises:
        InputError: neither a build of the project nor its wheel has one.
    """
    places = (project.path(project.PAGE), ROOT / project.PAGE)
    page = next((place for place in places if place.is_file()), None)
    if page is None:
        raise InputError(places[0], "", "is not there", project.remake(project.PAGE))
    build = _build(page)
    if arguments.json:
        print(json.dumps({"page": str(page), "build": build}))
        return 0
    print(f"page   {page}")
    print(f"build  {build or 'unknown'}")
    if not arguments.no_open:
        _browse(page)
    return 0


def _build(page: Path) -> str:
    """Return what `thinwire --version` printed when the page was built; empty if it is unknown."""
    try:
        return page.with_name("build.txt").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def run(arguments: argparse.Namespace) -> int:
    if not arguments.study:
        return _show_page(arguments)
    study = load_study(arguments.study)
    words = [*_tables(study.name), *(["--format", "json"] if arguments.json else [])]
    done = subprocess.run(
        [analysis.rscript(), str(SCRIPT), *words],
        env=tools.r_environment(),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == InputError.status:
        return InputError.status
    if done.returncode != 0:
        raise LabError(f"{SCRIPT.name} ended with status {done.returncode}")
    summary = done.stdout
    folder = project.path(f"results/reports/{study.name}")
    figures = sorted(folder.glob("*.pdf"))
    texts = {"title": study.document["title"], "question": study.document["question"]}
    if arguments.json:
        known = {"trials": json.loads(summary), "figures": [str(figure) for figure in figures]}
        print(json.dumps(texts | known, ensure_ascii=False, indent=1))
        return 0
    print(f"{texts['title']}: {texts['question']}\n\n{summary}")
    for figure in figures:
        print(f"figure {figure}")
    if not figures:
        print("no figures; the study's file names them (figures: [delivery, rtt, bytes])")
    elif not arguments.no_open:
        _open(study.document, folder, figures, summary)
    return 0


def _open(document: dict[str, str], folder: Path, figures: list[Path], summary: str) -> None:
    """Write a page with the summary and the figures beside the study's report, and open it."""
    page = folder.with_suffix(".html")
    shown = [FIGURE.format(name=file.stem, file=f"{folder.name}/{file.name}") for file in figures]
    texts = {"title": document["title"], "question": document["question"], "summary": summary}
    escaped = {name: html.escape(text) for name, text in texts.items()}
    page.write_text(PAGE.format(figures="\n".join(shown), **escaped), encoding="utf-8")
    print(f"page   {page}")
    _browse(page)


def _browse(page: Path) -> None:
    if not webbrowser.open(page.absolute().as_uri()):
        print("thinwire: no browser was found; open the file yourself", file=sys.stderr)
