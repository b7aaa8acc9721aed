"""The cloud's process: write the certificates, then run registry and application.

python -m hil.peers.cloud.main FOLDER CHAIN_BYTES BROKER_PORT
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import uvicorn

from hil.peers.cloud import certificates
from hil.peers.cloud.app import App, Publisher
from hil.peers.cloud.registry import Registry, serve


async def run(folder: Path, broker_port: int) -> None:
    """Serve until SIGTERM: the broker at `registry.sock`, nginx at `app.sock`, in `folder`."""
    registry = Registry()
    app = App(registry.check, Publisher(broker_port).publish)
    socket = folder / "registry.sock"
    socket.unlink(missing_ok=True)
    config = uvicorn.Config(
        app,
        uds=str(folder / "app.sock"),
        loop="asyncio",
        http="h11",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,  # nginx has its own
    )
    async with await serve(registry, socket):
        await uvicorn.Server(config).serve()


def main() -> None:
    folder = Path(sys.argv[1])
    certificates.write(folder, int(sys.argv[2]))
    asyncio.run(run(folder, int(sys.argv[3])))


if __name__ == "__main__":
    main()
