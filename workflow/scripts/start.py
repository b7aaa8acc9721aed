"""Run `thinwire` in the workflow's fork server (hil/commands/forkserver.py), or by itself.

Usage: python -IS start.py WORDS...; it loads next to nothing.
"""

import json
import os
import socket
import struct
import sys

words = sys.argv[1:]
place = os.environ.get("THINWIRE_FORKSERVER", "")
status = b""


def answers(server):
    """Whether a fork server of this user answers: anybody may take an address that nobody has."""
    try:
        server.connect(f"\0{place}")
    except OSError:
        return False
    _, uid, _ = struct.unpack("3i", server.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return uid == os.getuid()


with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    if not place or not answers(server):
        os.execvp("thinwire", ["thinwire", *words])
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long as the rest
    request = {"words": words, "folder": folder, "environment": dict(os.environ)}
    socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
    try:
        status = server.recv(1)
    except KeyboardInterrupt:
        sys.exit(130)
if not status:
    print("thinwire: error: the command was killed, or its server", file=sys.stderr)
sys.exit(status[0] if status else 3)
