"""The rig: servers, link, capture and board of one trial, as processes in namespaces.

All testbeds run this code; nothing here depends on which of them it is.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import LAB_FAILED, LabError, TrialError
from hil.design import addressing, servertime
from hil.design.facts import Facts
from hil.design.protocols import PROGRAM_PEER
from hil.peers import SERVERS, Server
from hil.peers.load import Load
from hil.rig import capture, waiting
from hil.rig.boards import BOARDS, Board
from hil.rig.drain import Drain
from hil.rig.event_log import EventLog, sample_times_s, tail
from hil.rig.links import LINKS, Link
from hil.rig.links.base import Plug
from hil.rig.request import TrialReport, TrialRequest
from hil.rig.schedule import Schedule
from hil.system import netns, processes
from hil.system.progress import Progress, in_silence

# A rig that wakes later cannot measure milliseconds, as the testbed `live` on a busy host.
LATE_LIMIT_S = 0.05


# Open files of a process: the emulator has a socket and a log for each device, others have fewer.
_FILES_OF_DEVICE, _FILES_BESIDE = 2, 64


@dataclass(frozen=True)
class _Running:
    """The parts of a trial."""

    board: Board
    servers: tuple[Server, ...]
    link: Link
    wire: capture.Capture
    load: Load

    def problem(self) -> str:
        """Return which part failed, or an empty text; LabError if it is the laboratory's own."""
        self.wire.check()
        parts = (self.board, *self.servers, self.link, self.load)
        return next((fault for part in parts if (fault := part.problem())), "")


class Rig:
    """One rig, named `name`, with its files in `folder`. prepare, run once, close."""

    def __init__(
        self,
        name: str,
        folder: Path,
        spaces: netns.Namespaces | None = None,
        boards: Mapping[str, Callable[[Path, str], Board]] = BOARDS,
        links: Mapping[str, Callable[[netns.Namespaces, Path], Link]] = LINKS,
    ) -> None:
        self.folder = folder
        self.spaces = spaces or netns.Namespaces(name)
        self.servers: dict[str, Server] = {}
        self._boards, self._links = boards, links
        self._link = links["netem"](self.spaces, folder)
        self._prepared = "netem"
        self.progress: Progress = in_silence
        self._events = EventLog()

    def prepare(self, names: Iterable[str], link: str = "netem") -> None:
        """Create namespaces and interfaces and start these servers; LabError if that fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.spaces.create()
        self._use_link(link, first=True)
        for name in names:
            server = SERVERS[name](self.spaces.wired, self.folder)
            self.servers[name] = server  # before it starts: a failed start is cleaned up, too
            try:
                server.start()
            except TrialError as error:
                raise LabError(str(error)) from error

    def _use_link(self, kind: str, first: bool = False) -> None:
        if not first and kind == self._prepared:
            return
        if not first:
            self._link.close()
        self._link, self._prepared = self._links[kind](self.spaces, self.folder), kind
        self._link.prepare()

    def _chosen(self, wanted: Iterable[str]) -> tuple[Server, ...]:
        """Return the prepared servers of these names; the others no longer disturb them."""
        if absent := [name for name in wanted if name not in self.servers]:
            raise LabError(f"the server '{absent[0]}' was not prepared")
        for name, other in self.servers.items():
            if name not in wanted and PROGRAM_PEER in wanted:
                other.kill()  # which also frees its port
            elif name not in wanted:
                other.pause()
        return tuple(self.servers[name] for name in wanted)

    def _schedule(self, facts: Facts, server: Server, board: Board) -> Schedule:
        if not facts.faults:
            return Schedule()
        from hil.rig import injection  # noqa: PLC0415 - loaded with faults alone: it takes time

        return injection.FaultSchedule(facts, self._link, server, board, self._events)

    def _board(self, request: TrialRequest) -> Board:
        make = self._boards[request.document["firmware"]["board"]]
        if request.facts.devices == 1:
            return make(self.folder, request.emulator)
        from hil.rig.boards import fleet  # noqa: PLC0415 - loaded with several devices alone

        return fleet.Fleet(make, self.folder, request, self._link.further_ports)

    def run(self, request: TrialRequest) -> TrialReport:
        """Run the trial. The rig's folder then holds its raw results.

        A failure of the trial is in the report.

        Raises:
            TrialError, LabError: the laboratory itself fails.
        """
        facts, seed = request.facts, request.document["seed"]
        report = TrialReport()
        servers = self._chosen(facts.by_server)
        server = servers[0]
        processes.allow_files(_FILES_BESIDE + _FILES_OF_DEVICE * facts.devices)
        self._use_link(facts.link)
        kind = BOARDS[request.document["firmware"]["board"]]
        port = self._link.connect(facts, seed, kind.plug)
        where = (addressing.WIRED, self.spaces.wired)
        if kind.plug is Plug.INTERFACE:
            where = (addressing.LAPTOP, self.spaces.radio)
        wire = capture.Capture(*where, self.folder / "wire.pcap", self._link.own)
        wire.wait_ready()
        board = self._board(request)
        board.halt_ps, board.facts = request.halt_ps, facts
        running = _Running(
            board,
            servers,
            self._link,
            wire,
            Load(self.spaces.wired, self.folder, facts, seed),
        )
        schedule = self._schedule(facts, server, board)
        with report.failures():
            board.install(request.firmware, request.config_line)
            server.equip(request.document, request.server)
            running.load.before_board()
            for each, own in zip(servers, facts.by_server.values(), strict=True):
                each.use(own)
            self._link.serve(facts)
            if times_ns := servertime.times_ns(facts, seed):
                server.set_processing_times(times_ns)
            # A device that keeps its session also declares a durable queue (AMQP).
            if facts.restarts or not facts.clean_session or schedule.keeps_state:
                for each in servers:
                    each.make_durable()
        # Two clocks that always start together would sample a single phase.
        time.sleep(random.Random(seed).random())
        started = time.monotonic()
        schedule.begin()
        running.board.power_on(request.firmware, request.config_line, port)
        for restart in facts.restarts:
            schedule.add(started + restart.begin_s, lambda: self._events.halt(server))
            schedule.add(started + restart.end_s, lambda: self._events.resume(server))
        for sample_s in sample_times_s(facts):
            schedule.add(started + sample_s, lambda: self._events.footprints(server))
        deadline = started + waiting.expected_s(facts)
        self._watch(report, running, deadline, schedule, facts)
        with report.failures():
            schedule.finish()
            running.load.stop()
        report.virtual_s = self._switch_off(board, facts, started)
        report.board = running.board.summary()
        if report.lateness_s > LATE_LIMIT_S:
            report.fail("invalid", f"the laboratory was {report.lateness_s:g} s late")
        self._events.outages(self._link.outages)
        self._finish(report, running)
        self._events.faults(schedule.events())
        self._collect(request.nonce, (*(each.log for each in servers), running.load.log))
        return report

    def try_run(self, request: TrialRequest) -> TrialReport:
        """Call `run`, and also turn a failure of the laboratory into a report, with the outcome
        LAB_FAILED, because only a report leaves the machine."""
        try:
            return self.run(request)
        except (LabError, TrialError) as error:
            return TrialReport(LAB_FAILED, str(error))

    @staticmethod
    def _switch_off(board: Board, facts: Facts, started: float) -> float:
        """Stop the board, and wait for the capture's last frames. Return the trial's time, in s."""
        goes_on = waiting.stops_s(facts, board) < float("inf")
        if goes_on:  # it would send while the capture ends: in the servers' logs alone
            board.power_off()
        time.sleep(capture.SETTLE_S)
        virtual_s = round(time.monotonic() - started, 3)
        if not goes_on:
            board.power_off()
        return virtual_s

    def _watch(
        self,
        report: TrialReport,
        running: _Running,
        deadline: float,
        schedule: Schedule,
        facts: Facts,
    ) -> None:
        """Wait for the end of the trial, run the scheduled interruptions, and record failures."""
        log, seen, stops_s = running.board.log, 0, waiting.stops_s(facts, running.board)
        poll_s, drain = waiting.poll_s(facts), Drain(facts)
        elapsed_s = 0.0  # sum of the pauses, since reading the clock takes time in the machine
        while report.outcome == "ok":
            pause = schedule.wait_s(waiting.EAGER_POLL_S if running.load.waits else poll_s)
            with report.failures():
                slept_s, late_s = schedule.rest(pause)
                report.lateness_s = max(report.lateness_s, late_s)
                elapsed_s += slept_s
                self.progress(int(elapsed_s))
                schedule.do_due()
            if log.exists() and log.stat().st_size > seen:
                news, seen = tail(log, seen)
                if b'"ev":"end"' in news:
                    if fault := running.board.problem():
                        report.fail("failed", fault)
                    return
                for event in (b"crash", b"config_error"):
                    if b'"ev":"' + event + b'"' in news:
                        report.fail("failed", f"the board logged {event.decode()}")
                running.load.notice(news)
                drain.notice(news, elapsed_s)
            running.load.start_if_due()
            if running.load.done and drain.done(elapsed_s):
                return
            if fault := running.problem():
                report.fail("failed", fault)
            elif elapsed_s >= stops_s:
                return
            elif time.monotonic() > deadline:
                report.fail("invalid", "the board did not finish in time")

    def _finish(self, report: TrialReport, running: _Running) -> None:
        with report.failures():
            counts = running.wire.stop()
            report.captured, report.dropped = counts.captured, counts.dropped
        if report.dropped:
            report.fail("invalid", f"the capture lost {report.dropped} frames")
        for server in running.servers:
            if fault := server.problem():
                report.fail("failed", fault)
            with report.failures():
                server.stop()
        with report.failures():
            report.link = self._link.close()
        if fault := report.link.pop("problem", ""):
            report.fail("invalid", fault)

    def _collect(self, nonce: str, logs: Iterable[Path]) -> None:
        """Merge the logs of the wired side by their stamps; add the trial's nonce to each line."""
        lines = list(self._events.lines(nonce))
        for log in logs:
            if log.exists():
                for line in log.read_text(encoding="utf-8").splitlines():
                    stamp, rest = line.split(",", 1)
                    lines.append(f'{stamp},"nonce":"{nonce}",{rest}\n')
        (self.folder / "server.jsonl").write_text("".join(sorted(lines)), encoding="utf-8")

    def close(self) -> None:
        """Stop everything and remove the namespaces and the folder."""
        for server in self.servers.values():
            server.kill()
        self.spaces.close()
        shutil.rmtree(self.folder, ignore_errors=True)
