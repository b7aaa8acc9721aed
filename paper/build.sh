#!/bin/sh
# build.sh OUT.pdf RESULTS_DIR: typeset the paper from RESULTS_DIR/numbers.tex, tables/ and figures/.
# The same sources and results give the same bytes: dates come from SOURCE_DATE_EPOCH, the file has no
# identifier, and no path of this machine enters it. What LaTeX only warns of and a reader would see
# (check_log.py) is an error; then OUT-faulty.pdf shows the place.
set -eu

if [ "$#" -ne 2 ]; then
    echo "thinwire: error: build.sh: needs two arguments; give OUT.pdf RESULTS_DIR" >&2
    exit 2
fi
out=$1
results=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
for needed in numbers.tex tables/claims.tex; do
    if [ ! -f "$results/$needed" ]; then
        echo "thinwire: error: $results/$needed: no such file; run snakemake first" >&2
        exit 2
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here/." "$work/"
ln -s "$results" "$work/results"
mkdir -p "$(dirname "$out")"
cd "$work"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1577836800}" FORCE_SOURCE_DATE=1 LC_ALL=C TZ=UTC
export max_print_line=10000 # a message of the log is one line
if ! latexmk -pdf -interaction=nonstopmode -halt-on-error -file-line-error paper.tex 2>&1; then
    echo "thinwire: error: paper.tex: LaTeX stopped; see the lines with a file and a number above" >&2
    exit 1
fi
cd - >/dev/null
faulty="${out%.pdf}-faulty.pdf"
if ! python3 "$here/check_log.py" "$work/paper.log"; then
    cp "$work/paper.pdf" "$faulty"
    echo "thinwire: error: the paper has the faults above; see $faulty" >&2
    exit 1
fi
cp "$work/paper.pdf" "$out"
rm -f "$faulty"
