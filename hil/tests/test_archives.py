"""Recorded captures: found in a mirror, checked by hash, never half there."""

import hashlib

import pytest
import yaml

from hil.archives import fetch, load, reachable
from hil.errors import InputError

CONTENT = b"\x0a\x0d\x0d\x0a and the rest of a capture"


@pytest.fixture
def index(tmp_path):
    """An index of one archive whose URL leads nowhere."""
    path = tmp_path / "archives.yaml"
    capture = {"file": "sample.pcapng", "sha256": hashlib.sha256(CONTENT).hexdigest()}
    study = {
        "title": "A sample",
        "seed": "kuleuven2019",
        "base": "https://127.0.0.1:9",
        "device": "192.168.0.226",
        "captures": {"sample": capture},
    }
    path.write_text(yaml.safe_dump({"archives": {"sample": study}}), encoding="utf-8")
    return path


@pytest.fixture
def mirror(tmp_path):
    folder = tmp_path / "mirror" / "deep"
    folder.mkdir(parents=True)
    (folder / "sample.pcapng").write_bytes(CONTENT)
    return folder.parent


def test_a_file_is_taken_from_any_folder_of_the_mirror(index, mirror, tmp_path):
    fetch("sample", str(mirror), tmp_path / "out.pcapng", index)
    assert (tmp_path / "out.pcapng").read_bytes() == CONTENT


def test_a_wrong_hash_leaves_nothing_behind(index, mirror, tmp_path):
    (mirror / "deep" / "sample.pcapng").write_bytes(CONTENT + b"!")
    with pytest.raises(InputError, match="SHA-256 is"):
        fetch("sample", str(mirror), tmp_path / "out" / "x.pcapng", index)
    assert list((tmp_path / "out").iterdir()) == []


def test_no_network_names_the_remedy(index, tmp_path, monkeypatch):
    monkeypatch.delenv("THINWIRE_MIRROR", raising=False)
    with pytest.raises(InputError, match=r"put sample\.pcapng into a folder"):
        fetch("sample", "", tmp_path / "out.pcapng", index)


def test_auto_goes_without_what_cannot_be_had(index, monkeypatch, capsys):
    monkeypatch.delenv("THINWIRE_MIRROR", raising=False)
    assert reachable("auto", "", index) == {}
    assert "1 of 1 recorded captures" in capsys.readouterr().err


def test_auto_uses_the_mirror(index, mirror):
    assert list(reachable("auto", str(mirror), index)) == ["sample"]


def test_an_unknown_archive_suggests_the_nearest(index, tmp_path):
    with pytest.raises(InputError, match="did you mean 'sample'"):
        fetch("sampel", "", tmp_path / "x", index)


def test_a_mirror_that_is_no_folder_is_an_error(index, tmp_path):
    with pytest.raises(InputError, match="not a folder"):
        fetch("sample", str(tmp_path / "nowhere"), tmp_path / "x", index)


def test_the_project_s_own_index_is_valid():
    assert "mqtt_qos0_pub10" in load()
