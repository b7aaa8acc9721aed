"""Does the LX106 speak MQTT 5 with the league's broker mochi-mqtt, a second one beside mosquitto?

`make test-examples` builds the broker with Go.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.tests.lab.test_mqtt5_lab import events, fields
from hil.tests.lab.test_tries_machine import tried

SERVER = ROOT / "league/servers/mochi"
MESSAGES = 10
TRY = """\
device: {{engine: {mode}}}
build: CGO_ENABLED=0 go build -trimpath -mod=readonly -o server .
server: {{program: ./server, arguments: ["{{server}}", "{{port}}"], files: [], port: 1883}}
protocol: mqtt5
parameters: {{payload_bytes: 30, interval_ms: 500, messages: 10, keepalive_s: 60, topic_bytes: 40}}
link: {{delay_ms: 2, loss_pct: 2}}
duration_s: 30
expect: {{malformed: 0, reason_failures: 0}}
"""


@pytest.mark.parametrize("mode", ["mqtt5-qos0", "mqtt5-qos1", "mqtt5-qos2", "mqtt5-alias"])
def test_each_mode_is_answered(
    tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shutil.which("go"), "go is not installed; install it to build this broker"
    folder = tmp_path / "broker"
    shutil.copytree(SERVER, folder, ignore=shutil.ignore_patterns("server", "server.yaml"))
    (folder / "thinwire.yaml").write_text(TRY.format(mode=mode), encoding="utf-8")
    document = tried(folder, capsys, "--seed", "1")
    assert document["pass"], document
    (trial,) = document["trials"]
    bundle = Path(trial["bundle"])
    assert fields(bundle, "mqtt.msgtype==2", "mqtt.connack.reason_code") == [["0"]]
    published = fields(bundle, "mqtt.msgtype==3 && ip.src==10.77.1.1", "mqtt.topic_len")
    lengths = [int(word) for (words,) in published for word in words.split(",")]
    # Its CONNACK has no Topic Alias Maximum: the device may use no alias (MQTT 5, 3.2.2.3.8).
    assert lengths == [40] * MESSAGES
    if mode in ("mqtt5-qos1", "mqtt5-qos2"):
        assert len(events(bundle, "acked")) == MESSAGES
