"""The cloud: access control over MQTT and HTTP, and its answers. Real servers on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import jwt
import paho.mqtt.client as paho
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from paho.mqtt.enums import CallbackAPIVersion

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design.facts import Facts
from hil.peers.cloud import certificates, names, tokens
from hil.peers.cloud.registry import Refused, Registry
from hil.peers.cloud.server import Cloud, Settings
from hil.tests.support.ports import free_port

_LOCUSTFILE = ROOT / "hil/peers/cloud/locustfile.py"
_BODY = b'{"binary_data":"aGVsbG8="}'


def _token(device: str = "b1", algorithm: str = "RS256", by: str = "", **claims: object) -> str:
    """A token with these claims instead of the usual, signed by the key of `by`."""
    now = int(time.time())
    known = {"iat": now, "exp": now + 60, "aud": names.PROJECT} | claims
    known = {key: value for key, value in known.items() if value is not None}
    key = names.key_file(by or device, algorithm).read_text()
    return jwt.encode(known, key, algorithm=algorithm)


def _unsigned() -> str:
    now = int(time.time())
    return jwt.encode({"iat": now, "exp": now + 60, "aud": names.PROJECT}, None, algorithm="none")


GOOD = [
    pytest.param(lambda: tokens.make("b1", "RS256", time.time()), id="RS256"),
    pytest.param(lambda: tokens.make("b1", "ES256", time.time()), id="ES256"),
]
BAD = [
    pytest.param(lambda: _token(exp=int(time.time()) - 1), id="expired"),
    pytest.param(lambda: _token(algorithm="ES256", exp=int(time.time()) - 1), id="expired-ES256"),
    pytest.param(lambda: _token(aud="another-project"), id="another-audience"),
    pytest.param(lambda: _token(by="b2"), id="another-device"),
    pytest.param(lambda: _token(algorithm="ES256", by="b2"), id="another-device-ES256"),
    pytest.param(lambda: _token(exp=None), id="no-expiry"),
    pytest.param(lambda: _token(iat=int(time.time()) + 3600), id="not-yet"),
    pytest.param(lambda: _token(exp=int(time.time()) + 100_000), id="too-long"),
    pytest.param(_unsigned, id="unsigned"),
    pytest.param(lambda: _token()[:-8] + "AAAAAAAA", id="forged"),
    pytest.param(lambda: "no token", id="malformed"),
]


@pytest.mark.parametrize("make", GOOD)
def test_the_registry_lets_a_device_in(make):
    Registry().check("b1", make())


@pytest.mark.parametrize("make", BAD)
def test_the_registry_refuses(make):
    with pytest.raises(Refused):
        Registry().check("b1", make())


def test_a_fleet_has_the_keys_of_its_owner(cloud):
    assert _publish(cloud, _token(by="b1"), device="b1-7")
    assert not _publish(cloud, _token(by="b2"), device="b1-7")


def test_a_key_of_another_kind_is_no_secret():
    """HS256 with the public key as the secret: the classic confusion."""
    with pytest.raises(Refused, match="no key for HS256"):
        Registry().check("b1", jwt.encode({"aud": names.PROJECT}, "x" * 32, algorithm="HS256"))


def test_tokens_repeat():
    for algorithm in names.ALGORITHMS:
        assert len({tokens.make("b1", algorithm, 1_577_836_800) for _ in range(3)}) == 1


@pytest.mark.parametrize("size", [1900, 2048, 3000, 4001, 6000, 12000])
def test_a_chain_has_the_size_that_is_asked_for(size, tmp_path):
    server, intermediate = certificates.chain(size)
    assert certificates.chain_bytes([server, intermediate]) == size
    server.verify_directly_issued_by(intermediate)
    certificates.write(tmp_path, size)
    (root,) = x509.load_pem_x509_certificates((tmp_path / "ca.pem").read_bytes())
    intermediate.verify_directly_issued_by(root)
    again = certificates.chain(size)
    assert again == [server, intermediate]


def test_a_chain_that_is_too_small_is_refused():
    with pytest.raises(InputError, match="no chain has this size"):
        certificates.chain(1000)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    """A cloud on loopback, without a namespace."""
    folder = tmp_path_factory.mktemp("c")
    found = Cloud("", folder)
    found.settings = Settings(3000, "cloud", "127.0.0.1", free_port(), free_port(), free_port())
    found.start()
    yield found
    found.kill()


def _context(cloud: Cloud) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=cloud.folder / "ca.pem")


def _post(cloud: Cloud, token: str, device: str = "b1", body: bytes = _BODY) -> tuple[int, bytes]:
    """Status and Vary fields of the answer to a request."""
    url = f"https://localhost:{cloud.settings.https_port}{names.path(device)}"
    fields = {"authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(url, body, fields)
    try:
        with urllib.request.urlopen(request, context=_context(cloud), timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def _publish(cloud: Cloud, token: str, device: str = "b1", topic: str = "") -> bool:
    """Is a message at QoS 1 acknowledged?"""
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=names.client_id(device))
    client.username_pw_set("unused", token)
    client.tls_set_context(_context(cloud))
    refused = []
    client.on_connect = lambda *seen: refused.append(seen[3].is_failure)
    client.connect("localhost", cloud.settings.mqtt_port)
    client.loop_start()
    deadline = time.monotonic() + 10
    while not refused and time.monotonic() < deadline:
        time.sleep(0.01)
    done = False
    if refused and not refused[0]:
        message = client.publish(topic or names.topic(device), b"hello", qos=1)
        message.wait_for_publish(10)
        done = message.is_published()
    client.disconnect()
    client.loop_stop()
    return done


@pytest.mark.parametrize("make", GOOD)
def test_both_doors_let_a_device_in(cloud, make):
    assert _publish(cloud, make())
    assert _post(cloud, make()) == (200, b"{}")


@pytest.mark.parametrize("make", BAD)
def test_both_doors_refuse(cloud, make):
    assert not _publish(cloud, make())
    assert _post(cloud, make())[0] == 401


def test_what_http_asks_for(cloud):
    token = _token()
    assert _post(cloud, "")[0] == 401
    assert _post(cloud, token, device="b9")[0] == 401
    assert _post(cloud, token, device="b2")[0] == 401
    assert _post(cloud, token, body=b'{"binary_data":"?"}')[0] == 400
    assert _post(cloud, token, body=b"[]")[0] == 400


def test_what_arrives_is_logged_from_both_doors_and_nothing_else(tmp_path):
    cloud = Cloud("", tmp_path)
    cloud.settings = Settings(3000, "plain", "127.0.0.1", free_port(), free_port(), free_port())
    cloud.start()
    try:
        assert _publish(cloud, _token())
        assert _post(cloud, _token(device="b2"), device="b2")[0] == 200
        _publish(cloud, _token(), topic=names.topic("b2"))  # acknowledged or not: not passed on
        cloud.stop()
    finally:
        cloud.kill()
    lines = [json.loads(line) for line in cloud.log.read_text().splitlines()]
    assert [line["topic"] for line in lines] == [names.topic("b1"), names.topic("b2")]
    assert {line["bytes"] for line in lines} == {5}


def test_a_trial_gets_the_chain_that_it_asks_for(tmp_path):
    cloud = Cloud("", tmp_path)
    cloud.settings = Settings(3000, "plain", "127.0.0.1", free_port(), free_port(), free_port())
    cloud.start()
    try:
        for size in (3000, 4000, 2000):
            cloud.use(Facts("mqtt", "air", 30, 100, chain_bytes=size))
            wanted = certificates.chain(size)[0].public_bytes(Encoding.PEM).decode()
            for port in (cloud.settings.mqtt_port, cloud.settings.https_port):
                assert ssl.get_server_certificate(("localhost", port)) == wanted
        token = _token()
        with ThreadPoolExecutor(16) as users:  # the first requests come at once
            found = list(users.map(lambda _: _post(cloud, token)[0], range(32)))
        assert set(found) == {200}
    finally:
        cloud.kill()


@pytest.mark.parametrize("protocol", ["mqtt", "http"])
def test_locust_sends_resumes_and_ends(cloud, protocol, tmp_path):
    """The locustfile as a user runs it, two sessions of three messages."""
    ports = {"mqtt": cloud.settings.mqtt_port, "http": cloud.settings.https_port}
    words = f"--headless --only-summary -u 1 --protocol {protocol} --messages 6"
    words += f" --host {protocol}s://localhost:{ports[protocol]} --session-messages 3 --resume"
    words += f" --cafile {cloud.folder / 'ca.pem'} --log {tmp_path / 'log'} --await-connack"
    run = subprocess.run(
        [sys.executable, "-m", "locust", "-f", _LOCUSTFILE, *words.split()],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["seq"] for line in lines if line["ev"] == "acked"] == [1, 2, 3, 4, 5, 6]
    assert [line["resumed"] for line in lines if "resumed" in line] == [True, True]
    assert lines[-1]["ev"] == "end"


def test_thinwire_cloud_up_serves_until_interrupted(tmp_path):
    ports = [free_port() for _ in range(3)]
    words = f"cloud up --mqtt-port {ports[0]} --https-port {ports[1]} --own-port {ports[2]}"
    command = [sys.executable, "-m", "hil.cli", *words.split(), "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as up:
        try:
            assert up.stdout is not None
            assert f"localhost:{ports[0]}" in up.stdout.readline()
            root = tmp_path / "ca.pem"
            token = subprocess.check_output(
                [sys.executable, "-m", "hil.cli", "cloud", "token"], text=True, cwd=ROOT
            ).strip()
            url = f"https://localhost:{ports[1]}{names.path('b1')}"
            request = urllib.request.Request(url, _BODY, {"authorization": f"Bearer {token}"})
            context = ssl.create_default_context(cafile=root)
            assert urllib.request.urlopen(request, context=context, timeout=20).status == 200
            os.kill(up.pid, signal.SIGINT)
            assert up.wait(20) == 0
        finally:
            up.kill()
    assert json.loads((tmp_path / "cloud.jsonl").read_text())["bytes"] == 5


def test_a_port_that_is_taken_is_an_error(tmp_path, capfd):
    from hil.cli import main  # noqa: PLC0415 - only here

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = ["cloud", "up", "--mqtt-port", port, "--out", str(tmp_path)]
        words += ["--https-port", str(free_port()), "--own-port", str(free_port())]
        assert main(words) == 2
    assert f"--mqtt-port: {port}: cannot be used" in capfd.readouterr().err
