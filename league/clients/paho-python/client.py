#!/usr/bin/env python3
"""The league's workload at QoS 1 over paho-mqtt, with the library's defaults and a kept session."""

import os
import re
import sys
import time
from pathlib import Path

import paho.mqtt.client as mqtt


def main() -> None:
    server, port, identifier, topic = sys.argv[1:]
    messages, size = int(os.environ["MESSAGES"]), int(os.environ["PAYLOAD_BYTES"])
    interval_s = int(os.environ["INTERVAL_MS"]) / 1000
    began = time.monotonic()
    client = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, client_id=identifier, clean_session=False
    )
    acknowledged: set[int] = set()
    client.on_publish = lambda client, data, mid, reason, properties: acknowledged.add(mid)
    client.connect(server, int(port))
    client.loop_start()
    refused, longest_s = 0, 0.0
    for number in range(1, messages + 1):
        before = time.monotonic()
        result = client.publish(topic, f"{number:<{size}d}", qos=1)
        longest_s = max(longest_s, time.monotonic() - before)
        # Without a connection the message is kept: MQTT_ERR_NO_CONN is no refusal at QoS 1.
        refused += result.rc not in {mqtt.MQTT_ERR_SUCCESS, mqtt.MQTT_ERR_NO_CONN}
        time.sleep(interval_s)
    deadline = began + float(os.environ["DURATION_S"]) - 1
    while len(acknowledged) < messages and time.monotonic() < deadline:
        time.sleep(0.1)
    longest_ms = int(longest_s * 1000)
    memory = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    print(f"longest_call_ms={longest_ms} memory_kib={memory[1] if memory else ''}")
    print(f"acknowledged={len(acknowledged)} refused={refused}")


if __name__ == "__main__":
    main()
