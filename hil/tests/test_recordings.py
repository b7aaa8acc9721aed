"""Recorded captures: found in a mirror or at their address, checked by digest, never half there."""

import hashlib
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.recordings import Recording, fetch, git_blob, load, reachable

CONTENT = b"\x0a\x0d\x0d\x0a and the rest of a capture"
SHA256 = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
BLOB = f"git-blob:{git_blob(CONTENT)}"
NOWHERE = "http://127.0.0.1:9"


def write_index(path, base=NOWHERE, **captures):
    """An index at `path` of captures `name=digest`, each in a folder of its own."""
    study = {
        "title": "A sample",
        "source": "kuleuven2019",
        "base": base,
        "device": "192.168.0.226",
        "captures": {
            name: {"file": f"{name}/{name}.pcapng", "digest": digest}
            for name, digest in captures.items()
        },
    }
    path.write_text(yaml.safe_dump({"recordings": {"samples": study}}), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _no_mirror(monkeypatch):
    monkeypatch.delenv("THINWIRE_MIRROR", raising=False)


@pytest.fixture
def index(tmp_path):
    """An index of one recording whose address leads nowhere."""
    return write_index(tmp_path / "recordings.yaml", sample=SHA256)


@pytest.fixture
def mirror(tmp_path):
    folder = tmp_path / "mirror" / "deep"
    folder.mkdir(parents=True)
    (folder / "sample.pcapng").write_bytes(CONTENT)
    return folder.parent


@pytest.fixture
def site(tmp_path):
    """A web server that has the file of `sample`; its address and its folder."""
    folder = tmp_path / "site"
    (folder / "sample").mkdir(parents=True)
    (folder / "sample" / "sample.pcapng").write_bytes(CONTENT)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_is_taken_from_any_folder_of_the_mirror(index, mirror, tmp_path):
    fetch("sample", str(mirror), tmp_path / "out.pcapng", index)
    assert (tmp_path / "out.pcapng").read_bytes() == CONTENT


def test_a_file_is_taken_from_its_address(site, tmp_path):
    index = write_index(tmp_path / "index.yaml", site[0], sample=SHA256)
    fetch("sample", "", tmp_path / "out" / "x.pcapng", index)
    assert (tmp_path / "out" / "x.pcapng").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["x.pcapng"]


def test_git_s_identifier_is_the_one_that_git_computes(tmp_path):
    (tmp_path / "x").write_bytes(CONTENT)
    done = subprocess.run(
        ["git", "hash-object", "x"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert git_blob(CONTENT) == done.stdout.strip()


@pytest.mark.parametrize(
    ("digest", "words"),
    [
        (SHA256, "its sha256 is [0-9a-f]{64}, not"),
        (BLOB, "its git-blob is [0-9a-f]{40}, not"),
        (BLOB[:-32], "its git-blob is [0-9a-f]{40}, not [0-9a-f]{8};"),
    ],
)
def test_a_wrong_file_is_refused_and_leaves_nothing_behind(digest, words, mirror, tmp_path):
    index = write_index(tmp_path / "index.yaml", sample=digest)
    (mirror / "deep" / "sample.pcapng").write_bytes(CONTENT + b"!")
    with pytest.raises(InputError, match=words) as caught:
        fetch("sample", str(mirror), tmp_path / "out" / "x.pcapng", index)
    assert "replace it, or remove it from the mirror" in str(caught.value)
    assert list(tmp_path.glob("out/*")) == []


def test_a_wrong_file_at_the_address_names_the_mirror_as_the_remedy(site, tmp_path):
    index = write_index(tmp_path / "index.yaml", site[0], sample="git-blob:00000000")
    with pytest.raises(InputError, match=r"put the recorded sample\.pcapng into a folder"):
        fetch("sample", "", tmp_path / "x.pcapng", index)


@pytest.mark.parametrize("missing", [0, 1, 32])
def test_the_first_digits_of_an_identifier_are_enough(missing, mirror, tmp_path):
    index = write_index(tmp_path / "index.yaml", sample=BLOB[: len(BLOB) - missing])
    fetch("sample", str(mirror), tmp_path / "out.pcapng", index)
    assert (tmp_path / "out.pcapng").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "digest", [BLOB[:-33], BLOB[:-1] + "G", BLOB + "0", SHA256[:-1], SHA256[7:], ""]
)
def test_a_digest_that_does_not_decide_is_an_error(digest, tmp_path):
    index = write_index(tmp_path / "index.yaml", sample=digest)
    with pytest.raises(InputError, match=r"recordings\.samples\.captures\.sample\.digest"):
        load(index)


def test_no_network_names_the_remedy(index, tmp_path):
    with pytest.raises(InputError, match=r"put sample\.pcapng into a folder"):
        fetch("sample", "", tmp_path / "out.pcapng", index)


def test_auto_goes_without_what_cannot_be_had(index, capsys):
    assert reachable("auto", "", index) == {}
    assert "1 of 1 recordings are not available" in capsys.readouterr().err


def test_auto_takes_each_capture_by_itself(site, tmp_path, capsys):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "kept.pcapng").write_bytes(CONTENT)
    three = {"absent": SHA256, "kept": SHA256, "sample": SHA256}
    index = write_index(tmp_path / "index.yaml", site[0], **three)
    assert list(reachable("auto", str(tmp_path / "mirror"), index)) == ["kept", "sample"]
    words = capsys.readouterr().err
    assert "1 of 3 recordings" in words
    assert words.rstrip().endswith(": absent")


@pytest.mark.parametrize(("mode", "names"), [("yes", ["sample"]), ("no", [])])
def test_yes_takes_all_and_no_none_without_asking(mode, names, index):
    assert list(reachable(mode, "", index)) == names


def test_an_unknown_recording_suggests_the_nearest(index, tmp_path):
    with pytest.raises(InputError, match="did you mean 'sample'"):
        fetch("sampel", "", tmp_path / "x", index)


def test_a_mirror_that_is_no_folder_is_an_error(index, tmp_path):
    with pytest.raises(InputError, match="not a folder"):
        fetch("sample", str(tmp_path / "nowhere"), tmp_path / "x", index)


def test_the_check_of_the_addresses_tells_each_and_fails_if_one_does_not_answer(site, tmp_path):
    def check(**captures):
        index = write_index(tmp_path / "index.yaml", site[0], **captures)
        script = ROOT / "tools" / "check_recordings.py"
        return subprocess.run(
            [sys.executable, script, index], capture_output=True, text=True, check=False
        )

    good = check(sample=SHA256)
    assert (good.returncode, good.stdout) == (0, f"sample: {len(CONTENT)} bytes, as recorded\n")
    one = check(gone=SHA256, sample=SHA256)
    assert one.returncode == 1
    assert f"{site[0]}/gone/gone.pcapng: cannot be fetched (HTTP Error 404" in one.stderr
    assert "sample: " in one.stdout
    changed = check(sample="git-blob:00000000")
    assert changed.returncode == 1
    assert "the file at this address has changed" in changed.stderr


def test_the_project_s_own_index_lists_each_row_of_the_published_table_once():
    recordings = load()
    assert len(recordings) == 15
    document = yaml.safe_load((ROOT / "data" / "recordings.yaml").read_text(encoding="utf-8"))
    captures = document["recordings"]["kuleuven2019"]["captures"].values()
    table = (ROOT / "data" / "published" / "kuleuven2019.csv").read_text(encoding="utf-8")
    rows = {line.split('"')[1] for line in table.splitlines() if line.startswith('Fig. 25,"')}
    assert sorted(capture["cell"] for capture in captures) == sorted(rows)


def test_a_recording_s_options_name_its_device_and_topic():
    recording = Recording("x", "http://host/a/b.pcapng", SHA256, "10.0.0.1", topic="/control")
    assert (recording.file, recording.options) == (
        "b.pcapng",
        ["--device", "10.0.0.1", "--topic", "/control"],
    )
