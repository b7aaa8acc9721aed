"""Can a user work with images whose lock file belongs to another one?"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hil.machine import image

_NOBODY = 65534


def test_a_lock_file_that_cannot_be_written_is_held() -> None:
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        lab = Path(name)
        lab.chmod(0o755)
        (lab / "image.lock").touch(0o444)
        if root:
            os.seteuid(_NOBODY)
        try:
            with image.locked("image", lab):
                pass
        finally:
            if root:
                os.seteuid(0)
