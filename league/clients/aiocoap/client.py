#!/usr/bin/env python3
"""The league's workload as confirmable POST over aiocoap, with the library's defaults."""

import asyncio
import os
import re
import sys
import time
from pathlib import Path

import aiocoap


async def main() -> None:
    server, port, _, topic = sys.argv[1:]
    messages, size = int(os.environ["MESSAGES"]), int(os.environ["PAYLOAD_BYTES"])
    interval_s = int(os.environ["INTERVAL_MS"]) / 1000
    began = time.monotonic()
    context = await aiocoap.Context.create_client_context()
    uri = f"coap://{server}:{port}/{topic}"
    acknowledged = refused = 0

    async def post(payload: bytes) -> None:
        nonlocal acknowledged, refused
        try:
            await context.request(
                aiocoap.Message(code=aiocoap.POST, uri=uri, payload=payload)
            ).response
            acknowledged += 1
        except aiocoap.error.Error as error:
            refused += 1
            print(f"refused: {error!r}")

    posts, longest_s = [], 0.0
    for number in range(1, messages + 1):
        before = time.monotonic()
        posts.append(asyncio.create_task(post(f"{number:<{size}d}".encode())))
        longest_s = max(longest_s, time.monotonic() - before)
        await asyncio.sleep(interval_s)
    await asyncio.wait(
        posts, timeout=began + float(os.environ["DURATION_S"]) - 1 - time.monotonic()
    )
    longest_ms = int(longest_s * 1000)
    memory = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    print(f"longest_call_ms={longest_ms} memory_kib={memory[1] if memory else ''}")
    print(f"acknowledged={acknowledged} refused={refused}", flush=True)
    os._exit(0)  # without waiting for the requests that remain


if __name__ == "__main__":
    asyncio.run(main())
