"""fetch_recording.py NAME --mirror FOLDER --out FILE: a capture of data/recordings.yaml."""

import argparse
import sys
from pathlib import Path

from hil.base.errors import ThinwireError, print_error
from hil.recordings import fetch


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--mirror", default="")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    try:
        fetch(options.name, options.mirror, options.out)
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
