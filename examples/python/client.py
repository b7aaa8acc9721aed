#!/usr/bin/env python3
"""Publish a reading each 500 ms for 20 s at QoS 1, over paho-mqtt, which reconnects by itself and
sends again what the broker has not acknowledged."""

import sys
import time

import paho.mqtt.client as mqtt

MESSAGES, INTERVAL_S, LONGEST_WAIT_S = 40, 0.5, 9


def main() -> int:
    if len(sys.argv) != 5:
        print("usage: client.py SERVER PORT ID TOPIC", file=sys.stderr)
        return 2
    server, port, identifier, topic = sys.argv[1:]
    client = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, client_id=identifier, clean_session=False
    )
    acknowledged: set[int] = set()
    client.on_publish = lambda client, data, mid, reason, properties: acknowledged.add(mid)
    client.on_disconnect = lambda client, data, flags, reason, properties: print(
        f"disconnected: {reason}", flush=True
    )
    client.reconnect_delay_set(min_delay=1, max_delay=1)
    client.connect(server, int(port))
    client.loop_start()
    for number in range(1, MESSAGES + 1):
        # Without a connection the message is kept, and sent once there is one.
        client.publish(topic, f'{{"reading":{number},"celsius":21.5}}', qos=1)
        time.sleep(INTERVAL_S)
    deadline = time.monotonic() + LONGEST_WAIT_S
    while len(acknowledged) < MESSAGES and time.monotonic() < deadline:
        time.sleep(0.1)
    print(f"{len(acknowledged)} of {MESSAGES} acknowledged", flush=True)
    client.disconnect()
    client.loop_stop()
    return int(len(acknowledged) < MESSAGES)


if __name__ == "__main__":
    sys.exit(main())
