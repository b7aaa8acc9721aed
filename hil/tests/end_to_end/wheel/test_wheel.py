"""Does the wheel of `make wheel` run the laboratory as the clone does, with nothing else installed?

`make test-wheel` runs it. The wheel is installed with its dependencies from the registry into an
environment of its own, which finds no program but Python and the shell's.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from hil import cli
from hil.base.paths import ROOT
from hil.design.studies import load_study
from hil.machine import closure, image
from hil.machine.flavours import COMMON

pytestmark = pytest.mark.lab
CONTENTS = yaml.safe_load((ROOT / "setup/wheel/contents.yaml").read_text(encoding="utf-8"))
# What a bare Debian has: no compiler, R, tshark or mosquitto.
PROGRAMS = ("cat", "env", "setpriv", "sh", "uname")


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The file that `make wheel` has built."""
    found = sorted((ROOT / "build/wheel").glob("thinwire-*.whl"))
    assert found, "run 'make wheel'"
    return found[0]


def environment(folder: Path, *wheels: Path) -> Path:
    """An environment with wheels; its folder `only` has the programs of a bare host."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    words = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *wheels]
    subprocess.run(words, check=True)
    (folder / "only").mkdir()
    for name in PROGRAMS:
        (folder / "only" / name).symlink_to(f"/bin/{name}")
    (folder / "only/python3").symlink_to(folder / "bin/python3")
    return folder


@pytest.fixture(scope="module")
def lab(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("lab"), wheel)


@pytest.fixture(scope="module")
def amqp_wheel() -> Path:
    (found,) = (ROOT / "build/wheel").glob("thinwire_amqp-*.whl")
    return found


@pytest.fixture(scope="module")
def lab_with_amqp(wheel: Path, amqp_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("amqp"), wheel, amqp_wheel)


def thinwire(lab: Path, *words: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run the command of the wheel in the folder `place`, with the programs of a bare host."""
    return subprocess.run(
        [lab / "bin/thinwire", *words],
        cwd=place,
        env={"HOME": str(place), "PATH": str(lab / "only")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["wheel", "amqp_wheel"])
def test_its_size_is_within_the_limits(name: str, request: pytest.FixtureRequest) -> None:
    wheel = request.getfixturevalue(name)
    limits = CONTENTS["limits"][wheel.name.partition("-")[0]]
    assert wheel.stat().st_size <= limits["file"] * 10**6
    with zipfile.ZipFile(wheel) as archive:
        unpacked = sum(one.file_size for one in archive.infolist())
    assert unpacked <= limits["unpacked"] * 10**6


def test_its_tag_names_the_oldest_c_library_that_it_needs(lab: Path) -> None:
    """What runs on the host is static, or needs no newer symbol than the tag says."""
    (shipped,) = lab.glob("lib/python3*/site-packages/thinwire_lab")
    files = [*shipped.glob("build/libraries/*/*.so"), *shipped.glob("build/sim/*/*")]
    files.append(shipped / "build/uml/linux")
    needed = {(2, 17)}
    for file in files:
        words = ["readelf", "--wide", "--dyn-syms", file]
        shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        found = re.findall(r"@GLIBC_(\d+)\.(\d+)", shown)
        assert found or ".so" not in file.name
        needed |= {(int(major), int(minor)) for major, minor in found}
    major, minor = max(needed)
    assert CONTENTS["platform"] == f"manylinux_{major}_{minor}_x86_64"


def test_its_demo_has_the_bundles_of_the_clone(lab: Path, tmp_path: Path) -> None:
    done = thinwire(lab, "demo", "--out", "demo", place=tmp_path)
    assert done.returncode == 0, done.stderr
    assert cli.main(["demo", "--out", str(tmp_path / "clone")]) == 0
    for folder in (tmp_path / "clone/smoke").iterdir():
        mine = tmp_path / "demo/smoke" / folder.name / "SHA256SUMS"
        assert mine.read_bytes() == (folder / "SHA256SUMS").read_bytes()
    assert "mqtt-qos1_nagle0_duration3_r1" in done.stdout
    assert "apt-get install r-base-core" in done.stdout


@pytest.mark.parametrize(
    ("study", "trial"),
    [
        ("topics", "mqtt5-alias_topic8_messages50_r1"),
        ("oscore", "interval1000_messages10_oscore-con_payload100_r1"),
    ],
)
def test_protocols_with_servers_on_a_usual_port_have_the_bundles_of_the_clone(
    lab: Path, tmp_path: Path, study: str, trial: str
) -> None:
    done = thinwire(lab, "trial", "run", study, "--trial", trial, "--out", "mine", place=tmp_path)
    assert done.returncode == 0, done.stderr
    words = ["trial", "run", study, "--trial", trial, "--out", str(tmp_path / "clone")]
    assert cli.main(words) == 0
    sums = Path(study, trial, "SHA256SUMS")
    assert (tmp_path / "mine" / sums).read_bytes() == (tmp_path / "clone" / sums).read_bytes()


def test_rabbitmq_has_a_wheel_of_its_own_and_the_bundles_of_the_clone(
    lab_with_amqp: Path, tmp_path: Path
) -> None:
    trial = next(
        one.id
        for one in load_study("matrix").trials("quick")
        if one.parameters["protocol"] == "amqp" and one.repetition == 1
    )
    words = ["trial", "run", "matrix", "--trial", trial, "--out"]
    done = thinwire(lab_with_amqp, *words, "mine", place=tmp_path)
    assert done.returncode == 0, done.stderr
    assert cli.main([*words, str(tmp_path / "clone")]) == 0
    sums = Path("matrix", trial, "SHA256SUMS")
    assert (tmp_path / "mine" / sums).read_bytes() == (tmp_path / "clone" / sums).read_bytes()


def test_an_image_of_another_build_is_not_used(lab_with_amqp: Path, tmp_path: Path) -> None:
    (noted,) = lab_with_amqp.glob("lib/python3*/site-packages/thinwire_lab/build/lab/current-amqp")
    before = noted.read_text()
    noted.write_text(before.split()[0] + " 0123456789abcdef\n")
    words = ["trial", "run", "matrix", "--point", "mode=amqp-confirms", "--rep", "1"]
    done = thinwire(lab_with_amqp, *words, place=tmp_path)
    noted.write_text(before)
    assert done.returncode == 2 and "install thinwire_amqp-*.whl" in done.stderr


def test_its_demo_is_for_programs_too(lab: Path, tmp_path: Path) -> None:
    done = thinwire(lab, "demo", "--json", place=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["outcome"] for row in rows] == ["ok", "ok"]
    assert all((tmp_path / row["bundle"] / "lab.json").is_file() for row in rows)


def test_a_try_counts_and_says_what_measures(lab: Path, tmp_path: Path) -> None:
    assert (
        thinwire(lab, "new", "try", "mine", "--language", "python", place=tmp_path).returncode == 0
    )
    file = tmp_path / "mine/thinwire.yaml"
    text = file.read_text(encoding="utf-8").replace("seeds: 3", "seeds: 1")
    file.write_text(text, encoding="utf-8")
    done = thinwire(lab, "try", "mine", place=tmp_path)
    assert done.returncode == 2, done.stderr
    assert re.search(r"^r1_program +ok +- +- +[1-9]\d +[1-9]\d+$", done.stdout, re.MULTILINE)
    assert not (tmp_path / "mine/__pycache__").exists()
    last = done.stderr.splitlines()[-1]
    assert last.startswith("thinwire: error: Rscript and tshark: not found, needed for the expect")
    assert (tmp_path / "mine/thinwire-out/try/r1_program/wire.pcapng.gz").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["trial", "run", "matrix", "--point", "mode=amqp-confirms", "--rep", "1"],
            "or install thinwire_amqp-*.whl",
        ),
        (["trial", "run", "smoke", "--machine", "qemu"], "in a clone"),
        (["new", "protocol", "mine"], "in a clone"),
        (["try", str(ROOT / "examples/lx106")], "set THINWIRE to a clone"),
    ],
)
def test_what_needs_a_clone_says_so(lab: Path, tmp_path: Path, words: list[str], said: str) -> None:
    done = thinwire(lab, *words, place=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    ("of", "inside", "some"),
    [
        ("lab", "", {"linux", "mosquitto", "libc6", "lwip", "mbedtls", "tcpdump"}),
        ("lab_with_amqp", "amqp", {"erlang-base", "rabbitmq-server", "libc6", "tcpdump"}),
    ],
)
def test_its_list_of_licences_has_a_text_for_each_row(
    of: str, inside: str, some: set[str], request: pytest.FixtureRequest
) -> None:
    lab = request.getfixturevalue(of)
    (folder,) = lab.glob(f"lib/python3*/site-packages/thinwire_lab/licences/{inside}")
    rows = re.findall(
        r"^\| ([\w.+-]+) \| ([^|]+) \| ([^|]+) \|$",
        (folder / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    names = {name for name, _, _ in rows}
    assert some <= names
    assert ("linux" in names) == (of == "lab")  # the kernel is in one of the wheels
    for name in names - {"component"}:
        assert (folder / f"{name}.txt").stat().st_size > 0, name


def test_no_guest_looks_for_the_wheel() -> None:
    """It would take a system call, and so virtual time."""
    parts = closure.collect(image.GUEST_MODULES, image.KERNEL, COMMON)
    names = {Path(one.target).stem for one in parts}
    assert "guest" in names and "shipped" not in names


def test_it_carries_the_image_of_this_clone(lab: Path, tmp_path: Path) -> None:
    done = thinwire(lab, "lab", "info", "--json", place=tmp_path)
    assert f'"digest": "{image.build().digest}"' in done.stdout
    assert os.access(lab / "bin/thinwire", os.X_OK)
