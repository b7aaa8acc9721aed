"""charts.py OUT.js: Vega-Lite, Vega and Vega-Embed as one script for a browser, from the pinned
package vl-convert-python; needs no network."""

import sys
from pathlib import Path

import vl_convert

Path(sys.argv[1]).write_text(vl_convert.javascript_bundle(), encoding="utf-8")
