"""check_recordings.py [INDEX]: does each address still give the recorded file?

Downloads every file, past any mirror, and checks its digest. A line for each; exit status 1 if one
is not there.
"""

import argparse
import sys
from pathlib import Path

from hil.base.errors import ThinwireError, print_error
from hil.recordings import INDEX, download, load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path, nargs="?", default=INDEX)
    options = parser.parse_args()
    status = 0
    try:
        recordings = load(options.index)
    except ThinwireError as error:
        return print_error(error)
    for recording in recordings.values():
        try:
            print(f"{recording.name}: {len(download(recording))} bytes, as recorded")
        except ThinwireError as error:
            print_error(error)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
