"""Do the commands that need nothing built find their files in what a wheel carries of the project?

The tree has the tracked files of setup/wheel/contents.yaml, as setup/wheel/build.py copies them,
and nothing that is built. `make test-wheel` tries the whole wheel.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml

from hil.base.paths import ROOT

CONTENTS = yaml.safe_load((ROOT / "setup/wheel/contents.yaml").read_text(encoding="utf-8"))
# What a server in the image reads; and what only a clone uses: recordings, libraries of other
# authors, what set-up installs.
ELSEWHERE = {
    "data/oscore/settings.json",
    "data/recordings.yaml",
    "firmware/libraries/sources.yaml",
    "setup/install",
    "setup/requirements.txt",
}
# A bare environment has what the wheel depends on, and no other package of this one.
ONLY = """\
import sys
from importlib.machinery import PathFinder

class Fewer(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name in NAMES else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Fewer
"""
START = "import sys; from hil import cli; sys.exit(cli.main())"


def others() -> set[str]:
    """The modules of the packages here that the wheel does not depend on, directly or not."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    waiting, wanted = list(tomllib.loads(text)["project"]["dependencies"]), set()
    while waiting:
        name = re.split(r"[^\w.-]", waiting.pop())[0].lower().replace("_", "-")
        if name not in wanted:
            wanted.add(name)
            with contextlib.suppress(metadata.PackageNotFoundError):  # for another Python or system
                needed = metadata.requires(name) or []
                waiting += [one for one in needed if "extra ==" not in one]
    return {
        module
        for module, owners in metadata.packages_distributions().items()
        if module != "hil"
        and not any(owner.lower().replace("_", "-") in wanted for owner in owners)
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the project that a wheel carries, in a folder of their own."""
    top = tmp_path_factory.mktemp("wheel") / "thinwire_lab"
    words = ["git", "-C", str(ROOT), "ls-files", "--", *CONTENTS["files"]]
    for name in subprocess.run(words, capture_output=True, text=True, check=True).stdout.split():
        if not name.startswith(tuple(CONTENTS["without"])):
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, top / name)
    only = ONLY.replace("NAMES", repr(sorted(others())))
    (top / "sitecustomize.py").write_text(only, encoding="utf-8")
    (top / "commit").write_text(" (commit 0123456789ab of 2026-01-02)", encoding="utf-8")
    return top


def thinwire(tree: Path, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the tree in the folder `place`."""
    return subprocess.run(
        [sys.executable, "-P", "-c", START, *words],
        cwd=place,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tree), "HOME": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_has_the_files_that_its_commands_name() -> None:
    named = set()
    for path in sorted((ROOT / "hil").rglob("*.py")):
        if path.relative_to(ROOT / "hil").parts[0] not in {"tests", "selfcheck"}:
            for found in re.findall(r'\bROOT((?: / "[^"]+")+)', path.read_text(encoding="utf-8")):
                named.add("/".join(re.findall(r'"([^"]+)"', found)))
    words = ["git", "-C", str(ROOT), "ls-files", "--", *sorted(named)]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    project = {name for name in named if any(f"{one}/".startswith(f"{name}/") for one in listed)}
    assert "workflow/protocols.yaml" in project
    lacking = {
        name
        for name in project
        if not any(
            f"{name}/".startswith(f"{one}/") or one.startswith(f"{name}/")
            for one in CONTENTS["files"]
        )
    }
    assert lacking == ELSEWHERE


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--version", "(commit 0123456789ab of 2026-01-02)"),
        ("ask --payload 40 --interval 60 --by bytes", "Shipped results of commit"),
        ("claims ufes-table-large-coap", "Shipped results of commit"),
        ("claims --counts", "by repetition: "),
        ("studies smoke", "mqtt-qos1_nagle0_duration3_r1"),
        ("analyze --explain rtt_median_ms", "rtt_median_ms (ms)"),
        ("debug --help", "docs/debug.md"),
        ("hunt --help", "thinwire hunt"),
    ],
)
def test_a_command_answers(tree: Path, tmp_path: Path, words: str, said: str) -> None:
    done = thinwire(tree, tmp_path, *words.split())
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("summary", "'make paper' in a clone of the project makes it"),
        ("show", "'make paper' in a clone of the project makes it"),
        ("show smoke", "'make paper' in a clone of the project makes it"),
        ("new protocol mine", "run it in a clone of the project"),
        ("crate make smoke --out crate", "run it in a clone of the project"),
        ("boards", "in a clone"),
        ("cloud up", "run it in a clone of the project"),
    ],
)
def test_what_needs_a_clone_says_so(tree: Path, tmp_path: Path, words: str, remedy: str) -> None:
    done = thinwire(tree, tmp_path, *words.split())
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and remedy in done.stderr, done.stderr


def test_it_lacks_the_packages_that_only_a_clone_has(tree: Path, tmp_path: Path) -> None:
    """Else the tests above could pass with what set-up has installed here."""
    assert {"pytest", "rocrate", "aiocoap"} <= others() and "yaml" not in others()
    start = "import importlib, sys; importlib.import_module(sys.argv[1])"
    for name, status in (("rocrate", 1), ("yaml", 0), ("jsonschema", 0), ("cryptography", 0)):
        done = subprocess.run(
            [sys.executable, "-P", "-c", start, name],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tree)},
            capture_output=True,
            check=False,
        )
        assert done.returncode == status, (name, done.stderr)


def test_a_study_of_ones_own_is_a_file_here(tree: Path, tmp_path: Path) -> None:
    done = thinwire(tree, tmp_path, "new", "study", "mine")
    assert done.returncode == 0, done.stderr
    listed = thinwire(tree, tmp_path, "studies", "mine.yaml")
    assert listed.returncode == 0, listed.stderr
    assert (
        "mqtt-qos1_payload40_messages50_r5" in listed.stdout
        and "coap-con_payload40_messages50_r5" in listed.stdout
    )
    again = thinwire(tree, tmp_path, "new", "study", "mine")
    assert again.returncode == 2 and "mine.yaml: exists" in again.stderr


def test_a_study_of_a_question_is_a_file_here(tree: Path, tmp_path: Path) -> None:
    """Nothing is written into the folder of the installed package, which may be root's."""
    before = sorted(tree.rglob("*.yaml"))
    words = ["ask", "--payload", "40", "--interval", "60", "--write-study", "mine"]
    done = thinwire(tree, tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert "thinwire trial run mine.yaml" in done.stdout and "in a clone" in done.stdout
    assert sorted(tree.rglob("*.yaml")) == before
    listed = thinwire(tree, tmp_path, "studies", "mine.yaml")
    assert listed.returncode == 0, listed.stderr
    again = thinwire(tree, tmp_path, *words)
    assert again.returncode == 2 and "mine.yaml: exists" in again.stderr


def test_what_remakes_a_claim_says_where(tree: Path, tmp_path: Path) -> None:
    done = thinwire(tree, tmp_path, "claims", "ufes-table-large-coap")
    lines = [line for line in done.stdout.splitlines() if line.startswith("remake")]
    assert any("snakemake" in line for line in lines)
    for line in lines:
        assert ("snakemake" in line) == line.endswith("# in a clone of the project"), line


def test_trials_that_need_another_image_are_refused_before_the_first(
    tree: Path, tmp_path: Path
) -> None:
    done = thinwire(tree, tmp_path, "trial", "run", "limits", "--rep", "1")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("thinwire: error: limits: ")
    assert re.search(r" \d+ of \d+ trials need the image 'amqp', which is not in", done.stderr)
    assert done.stderr.endswith("or install thinwire_amqp-*.whl\n")
    assert not (tmp_path / "data").exists()


@pytest.mark.skipif(not all(map(shutil.which, ("Rscript", "tshark"))), reason="needs R and tshark")
def test_a_time_line_names_the_package_that_draws_it(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "one.pcap").touch()
    done = thinwire(tree, tmp_path, "view", "one.pcap")
    assert done.returncode == 2
    said, _, remedy = done.stderr.partition("; ")
    assert said == (
        "thinwire: error: the Python package 'vl_convert': not found, needed for the time line"
    )
    pip, *words = shlex.split(remedy)  # also where the path of the environment has a blank
    assert Path(pip).name == "pip" and words == ["install", "vl-convert-python"]


def test_commands_of_an_answer_say_where_they_run(tree: Path, tmp_path: Path) -> None:
    words = ["ask", "--payload", "40", "--interval", "60", "--modes"]
    for mode, more in (("amqp-confirms", True), ("oscore-con", False), ("coap-con", False)):
        done = thinwire(tree, tmp_path, *words, mode)
        (line,) = (one for one in done.stdout.splitlines() if one.startswith("thinwire trial run"))
        assert line.endswith("# with thinwire_amqp-*.whl") == more, line


def test_the_page_that_a_new_client_names_is_there(tree: Path, tmp_path: Path) -> None:
    done = thinwire(tree, tmp_path, "new", "try", "client")
    assert done.returncode == 0, done.stderr
    (page,) = (line.split()[-1] for line in done.stdout.splitlines() if line.startswith("read"))
    assert Path(page).is_file() and (tmp_path / "client/client.py").is_file()
