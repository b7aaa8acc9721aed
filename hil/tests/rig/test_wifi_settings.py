"""Which settings of a cell's access point are passed to a board?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.rig.links import wifi

GOOD = {"ssid": "tw-1", "wpa_passphrase": "a-good-one"}


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wifi, "CELLS", tmp_path)
    (tmp_path / "cell1").mkdir()
    return tmp_path / "cell1" / "hostapd.conf"


def written(path: Path, **more: str) -> None:
    path.write_text("".join(f"{key}={value}\n" for key, value in (GOOD | more).items()))


def test_a_network_is_read_as_hostapd_reads_it(conf: Path) -> None:
    written(conf, ssid="a=b", vendor_elements="dd")
    assert wifi.settings("cell1")["ssid"] == "a=b"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ssid", "two words"),
        ("ssid", "behind "),
        ("ssid", "\u00fcber"),
        ("ssid", "x" * 33),
        ("wpa_passphrase", "correct horse"),
        ("wpa_passphrase", " in-front"),
        ("wpa_passphrase", "short"),
        ("wpa_passphrase", "x" * 64),
    ],
)
def test_what_cannot_be_sent_is_refused_by_name(conf: Path, key: str, value: str) -> None:
    written(conf, **{key: value})
    with pytest.raises(InputError, match=f"hostapd.conf: {key}: cannot be sent") as refused:
        wifi.settings("cell1")
    assert value not in str(refused.value)
