"""The 30 minutes, rehearsed: each block of docs/hardware.md, "Set-up in 30 minutes", as it stands
there, on a host of its own (space.py) with systemd, before a board without silicon
(hil/tests/support/farm)."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.tests.end_to_end.boards.space import Space
from hil.tests.support.farm.farm import ELF
from hil.tests.support.farm.line import preload

PAGE = (ROOT / "docs/hardware.md").read_text(encoding="utf-8")
# Blocks that nothing here can run, by their first lines: a USB adapter, a radio, PlatformIO.
LEFT_OUT = ["ls /dev/thinwire", "iw dev", "firmware/boards/esp8266/build build/firmware/esp8266"]
LATE = "the laboratory was"
FARM = Path("/run/farm")  # there
# The blocks are one session of a shell: where it is, and its variables.
SESSION = """
if [ -e /run/session ]; then . /run/session; fi
{block}
{{ declare -p PATH; printf 'cd %q\\n' "$PWD"; }} >/run/session
"""
TAP = """
from hil.design import addressing
from hil.system import netns, processes
link = f"link set board0 master {addressing.WIRED} up"
netns.batch("ip", "cell1", ["tuntap add board0 mode tap", link])
processes.call(lambda: netns.no_offload(addressing.WIRED), "cell1")
"""


@dataclass(frozen=True)
class Block:
    """Commands of the page; `reason`: why they are not rehearsed, or an empty text."""

    text: str
    reason: str


def blocks() -> list[Block]:
    """Those of the section, in its order."""
    section = PAGE.partition("## Set-up in 30 minutes\n")[2].partition("\n##")[0]
    parts = re.split(r"```sh\n(.*?)```\n", section, flags=re.DOTALL)
    found = []
    for before, text in zip(parts[::2], parts[1::2], strict=False):
        said = before.strip().rpartition("\n\n")[2]
        mark, _, reason = said.partition("Not rehearsed: ")
        found.append(Block(text, "" if mark else reason))
    return found


def named(pattern: str) -> str:
    """What the page calls something."""
    found = re.search(pattern, PAGE, re.MULTILINE)
    assert found, pattern
    return found[1]


def test_the_page_says_what_is_left_out() -> None:
    left = [each.text.splitlines()[0] for each in blocks() if each.reason]
    assert left == LEFT_OUT
    assert len(blocks()) == len(left) + 9


def test_hostapd_takes_the_file_of_the_page(tmp_path: Path) -> None:
    """The real one reads it without an error, and ends where it looks for the radio."""
    text = next(each.text for each in blocks() if "hostapd.conf <<" in each.text)
    conf = tmp_path / "hostapd.conf"
    conf.write_text(text.partition("<<'END'\n")[2].partition("END\n")[0])
    done = subprocess.run(
        ["hostapd", conf], capture_output=True, text=True, check=False, timeout=20
    )
    assert done.returncode != 0
    assert "errors found" not in done.stdout
    assert "nl80211" in done.stdout
    conf.write_text(conf.read_text() + "no_such_key=1\n")
    done = subprocess.run(
        ["hostapd", conf], capture_output=True, text=True, check=False, timeout=20
    )
    assert "unknown configuration item 'no_such_key'" in done.stdout


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Space]:
    if Path("/opt/thinwire") == ROOT:
        pytest.skip("this checkout lies where the page puts its own")
    with Space(tmp_path) as made:
        yield made


def take_repository(space: Space) -> None:
    """What is cloned is this checkout."""
    address = named(r"^git clone (https://\S+)")
    space.run("git config --system safe.directory '*'")
    space.run(f"git config --system url.{ROOT}.insteadOf {address}")


def save_downloads(space: Space) -> None:
    """Sources and kernels that are here already are not fetched and built once more."""
    here = [f"{ROOT}/build/{name}" for name in ("src", "kernel", "uml")]
    there = "/opt/thinwire/build/"
    space.run(f"mkdir {there}; for each in {' '.join(here)}; do cp -a $each {there} || true; done")


def plug_in(space: Space) -> subprocess.Popen[bytes]:
    """A board, which hears the page's network. A pseudo-terminal is no device of systemd's, and its
    modem lines come through a library: so the unit is not bound to one, and loads the other."""
    network = f"{named('^ssid=(.*)')} psk={named('^wpa_passphrase=(.*)')}"
    space.run(f"printf %s '{network}' >{FARM}/network; printf 0 >{FARM}/drift_ppm")
    words = [sys.executable, "-m", "hil.tests.support.farm.board"]
    words += ["0", named(r"chip=(\S+)"), str(FARM)]
    board = subprocess.Popen(
        space.command([*words, "cell1"]), cwd=ROOT, stdout=subprocess.PIPE, text=False
    )
    assert board.stdout is not None
    assert board.stdout.readline() == b"ready\n"
    variables = preload(FARM)
    space.run(
        f"cp {variables['LD_PRELOAD']} {FARM}/modem_lines.so\n"
        f"chmod 666 {FARM}/lines $(readlink {FARM}/tty)\n"
        f"mkdir -p /dev/thinwire; ln -sf {FARM}/tty /dev/thinwire/{named('^board=(.*)')}\n"
        "sed -i -e '/^BindsTo=/d' -e '/^After=dev/d' -e '/^EnvironmentFile=/a "
        f"Environment=LD_PRELOAD={FARM}/modem_lines.so MODEM_LINES={FARM}/lines' "
        "/etc/systemd/system/thinwire-serial@.service\n"
        "systemctl daemon-reload"
    )
    return board


def leave_out_radio(space: Space) -> None:
    """As the page says for an external access point."""
    space.run("sed -i '/^interface=/d' /etc/thinwire/cells/cell1/hostapd.conf")


def join_cell(space: Space) -> None:
    """The board in reach of the access point."""
    space.run(f"cd {ROOT}; {sys.executable} - <<'END'\n{TAP}\nEND")


def give_image(space: Space) -> None:
    """The LX106's, which the board without silicon runs."""
    folder = "/opt/thinwire/build/firmware/esp8266"
    space.run(f"mkdir -p {folder}; xtensa-lx106-elf-strip -o {folder}/nodemcuv2.bin {ELF}")


# By the beginning of the block before which it happens.
BETWEEN = {
    "apt-get update": take_repository,
    "cd /opt/thinwire\nmake setup": save_downloads,
    "systemctl enable --now thinwire-cell": leave_out_radio,
    "labgrid-client": join_cell,
    "thinwire boards": give_image,
}


def run(space: Space, block: str) -> str:
    """What a block prints; run again where this machine, which others use too, was late."""
    for _ in range(2):
        try:
            return space.run(SESSION.format(block=block))
        except AssertionError as error:
            if LATE not in str(error):
                raise
    return space.run(SESSION.format(block=block))


def test_from_a_bare_clone_to_a_bundle(space: Space, capsys: pytest.CaptureFixture[str]) -> None:
    board = None
    try:
        for block in (each.text for each in blocks() if not each.reason):
            for start, act in BETWEEN.items():
                if block.startswith(start):
                    act(space)
            if "/etc/thinwire/serial" in block:
                board = plug_in(space)
            begun = time.monotonic()
            said = run(space, block)
            with capsys.disabled():
                print(f"\n# {time.monotonic() - begun:.0f} s\n{block}{said[-600:]}", end="")
        status = space.run("cd /opt/thinwire; .venv/bin/thinwire trial verify data/raw/boards/*")
    finally:
        if board is not None:
            board.kill()
            board.wait()
        space.run("rm -rf /dev/thinwire")
    assert status
