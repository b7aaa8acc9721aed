#!/bin/sh
# build.sh [--report] [--class plain|acmart|ieee] OUT.pdf RESULTS_DIR [STUDY...]: typeset the paper, or
# the artifact report, from RESULTS_DIR/numbers.tex, tables/, figures/, and the reports of the studies in
# reports/. A study has a section where sections/STUDY.tex is there, in the report where
# report/STUDY.tex is; classes/ has what the classes differ in, authors.yaml the authors.
# The same sources and results give the same bytes: dates come from SOURCE_DATE_EPOCH, identifiers
# from fixed words, and no path of this machine enters it. What LaTeX only warns of and a reader would see
# (check_log.py) is an error, and so is a font that is not embedded in outlines (check_pdf.py); then
# OUT-faulty.pdf shows the place.
set -eu

class=plain
document=paper
sections=sections
if [ "${1:-}" = --report ]; then
    document=report
    sections=report
    shift
fi
if [ "${1:-}" = --class ] && [ "$#" -ge 2 ]; then
    class=$2
    shift 2
fi
if [ "$#" -lt 2 ]; then
    echo "thinwire: error: build.sh: needs two arguments; give [--report] [--class NAME] OUT.pdf RESULTS_DIR [STUDY...]" >&2
    exit 2
fi
out=$1
results=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift 2
if [ ! -f "$here/classes/$class.tex" ]; then
    known=$(cd "$here/classes" && echo *.tex | sed 's/[.]tex//g')
    echo "thinwire: error: build.sh: --class $class: no such class; use one of $known" >&2
    exit 2
fi
file=$(sed -n 's/^.documentclass.*{\(.*\)}.*/\1.cls/p' "$here/classes/$class.tex")
if ! kpsewhich "$file" >/dev/null; then
    echo "thinwire: error: paper: $class: LaTeX has no $file; install texlive-publishers, or choose plain" >&2
    exit 2
fi
for needed in numbers.tex tables/claims.tex; do
    if [ ! -f "$results/$needed" ]; then
        echo "thinwire: error: $results/$needed: no such file; run snakemake first" >&2
        exit 2
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here/." "$work/"
cp "$here/classes/$class.tex" "$work/class.tex"
ln -s "$results" "$work/results"
mkdir -p "$(dirname "$out")"
cd "$work"
python3 "$here/authors.py" authors.yaml >authors.tex
for study in "$@"; do
    printf '\\input{results/reports/%s/numbers}\n' "$study" >>studies-numbers.tex
    printf '\\expandafter\\def\\csname twran-%s\\endcsname{}\n' "$study" >>studies-numbers.tex
    # a report of numbers alone is that of a study of which no trial went well
    if [ -f "$sections/$study.tex" ] &&
        [ -n "$(find "results/reports/$study" -type f ! -name '.*' ! -name numbers.tex)" ]; then
        printf '\\expandafter\\def\\csname twsection-%s\\endcsname{}\n' "$study" >>studies-numbers.tex
        printf '\\ifcsname twplaced-%s\\endcsname\\else\\input{%s/%s}\\fi\n' "$study" "$sections" "$study" \
            >>studies-sections.tex
    fi
done
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1577836800}" FORCE_SOURCE_DATE=1 LC_ALL=C TZ=UTC
export max_print_line=10000 # a message of the log is one line
if ! latexmk -pdf -interaction=nonstopmode -halt-on-error -file-line-error "$document.tex" 2>&1; then
    echo "thinwire: error: $document.tex: LaTeX stopped; see the lines with a file and a number above" >&2
    exit 1
fi
cd - >/dev/null
faulty="${out%.pdf}-faulty.pdf"
if ! python3 "$here/check_log.py" "$work/$document.log" || ! python3 "$here/check_pdf.py" "$work/$document.pdf"; then
    cp "$work/$document.pdf" "$faulty"
    echo "thinwire: error: the $document has the faults above; see $faulty" >&2
    exit 1
fi
cp "$work/$document.pdf" "$out"
rm -f "$faulty"
