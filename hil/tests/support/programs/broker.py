#!/usr/bin/env python3
"""A foreign server of the tests: an MQTT 3.1.1 broker for publishers at QoS 0 and 1."""

import asyncio
import sys


async def packet(reader):
    """Return the first byte and the body of a control packet (section 2.2)."""
    kind = (await reader.readexactly(1))[0]
    size = shift = 0
    while True:
        part = (await reader.readexactly(1))[0]
        size |= (part & 127) << shift
        shift += 7
        if part < 128:
            return kind, await reader.readexactly(size)


async def serve(reader, writer):
    try:
        while True:
            kind, body = await packet(reader)
            if kind >> 4 == 1:  # CONNECT
                writer.write(b"\x20\x02\x00\x00")
            elif kind >> 4 == 3:  # PUBLISH
                at = 2 + int.from_bytes(body[:2], "big")
                if kind & 6:
                    writer.write(b"\x40\x02" + body[at : at + 2])
                    at += 2
                topic = body[2 : 2 + int.from_bytes(body[:2], "big")].decode()
                print(f"{topic}: {len(body) - at} bytes")
            elif kind >> 4 == 12:  # PINGREQ
                writer.write(b"\xd0\x00")
            elif kind >> 4 == 14:  # DISCONNECT
                break
    except asyncio.IncompleteReadError:
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "0.0.0.0", int(sys.argv[1]))
    async with server:
        await server.serve_forever()


asyncio.run(main())
