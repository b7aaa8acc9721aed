"""The configuration line as the ESP8266's firmware takes it from its serial port: its own source,
compiled for this host behind a stand-in for the Arduino core's Serial."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.design.facts import Facts
from hil.design.studies import available, load_study
from hil.rig.boards.esp8266 import Esp8266

SOURCE = ROOT / "firmware/boards/esp8266/src"
ARDUINO = """
#pragma once
#include <cstdio>
struct { bool available() { return !feof(stdin); } int read() { return getchar(); } } Serial;
"""
MAIN = """
#include "serial_config.cpp"
radio::Settings radio::take(char *) { return {}; }
int main() {
    static serial_config::Line line;
    if (serial_config::poll(line))
        printf("%s\\n%s\\n%s\\n", line.ssid, line.password, line.words);
}
"""
NETWORK = f" ssid={'s' * 32} psk={'p' * 63}"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serial")
    (folder / "Arduino.h").write_text(ARDUINO)
    (folder / "main.cpp").write_text(MAIN)
    words = ["c++", "-fsanitize=address,undefined", f"-I{folder}", f"-I{SOURCE}", "-o"]
    subprocess.run([*words, folder / "program", folder / "main.cpp"], check=True)
    return folder / "program"


def read(program: Path, line: str) -> list[str]:
    """SSID, password and the words that are left of a line, after an empty one."""
    said = f"\r\n{line}\n"
    done = subprocess.run([program], input=said, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def longest() -> str:
    """The longest configuration line of all studies; no chip has several devices."""
    firmware = {"board": "esp8266", "sha256": "0" * 64}
    lines = (
        Esp8266.config(trial.document(firmware, {}, "0" * 64), "0" * 8)
        for name in available()
        for trial in load_study(name).trials("full")
        if Facts.of(trial.parameters).devices == 1
    )
    return max(lines, key=len)


def test_the_longest_line_arrives_whole(program: Path) -> None:
    line = longest()
    assert len(line + NETWORK) > 511  # what the buffer held once
    ssid, password, words = read(program, line + NETWORK)
    assert (ssid, password, words.strip()) == ("s" * 32, "p" * 63, line)


def test_a_line_that_does_not_fit_ends_in_a_word_that_is_refused(program: Path) -> None:
    line = f"nonce=0011aabb topic={'t' * 900}"
    words = read(program, line)[2].split()
    assert words[0] == "nonce=0011aabb"
    assert words[-1] == "line_too_long"
