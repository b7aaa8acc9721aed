"""The program of a background station, read from standard input; it needs only python3 and iperf3:

    python3 -uc "import sys; exec(sys.stdin.buffer.read(SIZE))" SOURCE SERVER PORT SEED

SOURCE is a JSON object: profile, direction, load_mbps. The program prints "started", works until
its standard input ends (the trial has ended, or the connection is lost), and then prints its counts
as a JSON object. The exit status is 1 if it failed; the object's `error` gives the reason.

The draws are those of the cell's model (sim/air/src/applications.cc, datagram_flow.cc).
"""

import contextlib
import http.client
import json
import random
import select
import signal
import subprocess
import sys
import threading
import time

SEGMENT_BYTES = 1460
PAGE_BYTES = 100e3  # the mean of an exponential distribution
VIDEO_S = 2.0
# G.711, 20 ms a packet: 160 bytes of sound and RTP's 12.
VOICE_BYTES, VOICE_BPS = 172, 68800
STALL_S = 10.0  # a browser that receives nothing for so long has lost its server
CHECK_S = 0.5
CHUNK = bytes(65536)


def whole_segments(size):
    """`size` bytes in segments, at least one."""
    return max(1, int(size / SEGMENT_BYTES + 0.5)) * SEGMENT_BYTES


def pages(load_bps, rng):
    """Pairs of a pause, s, and the bytes of the page after it."""
    while True:
        pause = rng.expovariate(load_bps / (8 * PAGE_BYTES))
        yield pause, whole_segments(rng.expovariate(1 / PAGE_BYTES))


class Browser:
    """Fetches pages after pauses (web), or two seconds of video every two seconds (video), over one
    connection. It requests an object when the last one is complete and, for video, has been played.
    """

    def __init__(self, source, server, port, seed):
        self.web, self.up = source["profile"] == "web", source["direction"] == "up"
        self.load_bps = source["load_mbps"] * 1e6
        self.rng = random.Random(seed)
        self.link = http.client.HTTPConnection(server, port, timeout=STALL_S)
        self.objects = self.reached = 0
        self.error = ""
        self.begun = time.monotonic()
        self.first_s = 0.0 if self.web else self.rng.random() * VIDEO_S
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        try:
            if self.web:
                for pause, size in pages(self.load_bps, self.rng):
                    time.sleep(pause)
                    self.move(size)
            while True:
                due = self.begun + self.first_s + self.objects * VIDEO_S
                time.sleep(max(0, due - time.monotonic()))
                self.move(self.segment())
        except (OSError, http.client.HTTPException) as error:
            self.error = f"the browser's connection failed: {error or type(error).__name__}"

    def segment(self):
        return whole_segments(self.load_bps * VIDEO_S / 8)

    def move(self, size):
        if self.up:
            chunks = (CHUNK[: size - at] for at in range(0, size, len(CHUNK)))
            self.link.request("POST", "/", chunks, {"Content-Length": str(size)})
            self.link.getresponse().read()
            self.reached += size
        else:
            self.link.request("GET", f"/{size}")
            answer = self.link.getresponse()
            while part := answer.read1(len(CHUNK)):
                self.reached += len(part)
            answer.read()  # returns nothing, but frees the connection for the next request
        self.objects += 1

    def stop(self):
        seconds = time.monotonic() - self.begun
        asked = self.reached
        if not self.web:
            over = max(0, int((seconds - self.first_s) / VIDEO_S))
            asked = max(asked, over * self.segment())
        counts = {"seconds": round(seconds, 3), "objects": self.objects}
        way = "up" if self.up else "down"
        return {**counts, "asked_bytes": {way: asked}, "reached_bytes": {way: self.reached}}


class Iperf:
    """A steady stream, or as much as the channel carries (bulk); datagrams both ways (voice)."""

    def __init__(self, source, server, port, _seed):
        self.load_bps, self.up = source["load_mbps"] * 1e6, source["direction"] == "up"
        self.voice = source["profile"] == "voice"
        words = f"iperf3 -c {server} -p {port} -J -t 0 --connect-timeout 5000".split()
        if self.voice:
            self.load_bps = VOICE_BPS
            words += f"-u -l {VOICE_BYTES} -b {VOICE_BPS} --bidir".split()
        elif self.load_bps:
            words += f"-N -l {SEGMENT_BYTES} -b {self.load_bps:.0f}".split()
        if not self.voice and not self.up:
            words.append("-R")
        self.child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    @property
    def error(self):
        if self.child.poll() is None:
            return ""
        output, errors = self.child.communicate()
        with contextlib.suppress(ValueError, KeyError):
            return "iperf3: " + json.loads(output)["error"]
        return "iperf3 died: " + (errors or output).decode(errors="replace").strip()[-200:]

    def stop(self):
        self.child.send_signal(signal.SIGINT)  # makes iperf3 print its counts
        try:
            end = json.loads(self.child.communicate(timeout=5)[0])["end"]
        except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
            self.child.kill()
            return {"error": f"iperf3 did not report its counts: {error!r}"}
        seconds = end["sum_sent"]["seconds"]
        asked = round(self.load_bps * seconds / 8)
        ways = ["down", "up"] if self.voice else ["up" if self.up else "down"]
        counts = {"seconds": round(seconds, 3), "asked_bytes": dict.fromkeys(ways, asked)}
        if "down" in ways:  # the server counts what went up
            got = end["sum_received_bidir_reverse" if self.voice else "sum_received"]["bytes"]
            counts["reached_bytes"] = {"down": got}
        return counts


def main(source, server, port, seed):
    source = json.loads(source)
    kind = Browser if source["profile"] in ("web", "video") else Iperf
    try:
        work = kind(source, server, int(port), seed)
    except OSError as error:  # iperf3 is missing here
        print(json.dumps({"error": str(error)}))
        return 1
    announced = False
    while not select.select([0], [], [], CHECK_S)[0]:
        if work.error:
            break
        if not announced:
            print("started", flush=True)
            announced = True
    error = work.error
    print(json.dumps({"error": error} if error else work.stop()), flush=True)
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
