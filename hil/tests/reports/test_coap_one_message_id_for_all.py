"""Are requests counted whose client gives all of them one message ID and no token?

Old CoAP libraries of the ESP8266 (microcoap's clients, esp-coap) do so for each new resource. It
breaks RFC 7252, 4.4; but a retransmission repeats the message (4.2), and these have other paths.
"""

from hil.peers.coap import codec
from hil.tests.reports.wire import Wire


def test_another_path_is_another_request(analyze):
    wire = Wire()
    for i in range(10):
        request = codec.encode(codec.Message(codec.CON, codec.GET, 1, b"", codec.path(f"r{i}")))
        if i % 5 == 4:
            wire.up(request, 2.5)  # its first copy is lost
        wire.up(request, 0.1)
        wire.down(codec.encode(codec.Message(codec.ACK, 0x45, 1, payload=b"v%d" % i)), 1.0)
    run = analyze(wire)
    assert (run.metric("messages"), run.metric("responses")) == (10, 10)
    assert run.metric("messages_repeated") == 2
    assert run.metric("response_median_ms") == 100
