"""Runs a program, stamps its lines with the time they arrive, watches its memory, and stops it with all its children."""
import dataclasses
import os
import pathlib
import selectors
import signal
import subprocess
import time


class Failed(Exception):
    """A program that could not be installed or run; the message says why, the log file has the rest."""


@dataclasses.dataclass
class Command:
    argv: list
    env: dict = dataclasses.field(default_factory=dict)
    cwd: pathlib.Path | None = None


@dataclasses.dataclass
class Outcome:
    code: int | None  # exit code; None: stopped by us
    seconds: float
    peak_bytes: int  # of the largest process
    lines: list


def session_processes(session):
    """Process ids whose session is `session`: a started program and all its children."""
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            text = pathlib.Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it has ended since
        # The name, in parentheses, may hold anything; what follows it: state, parent, group, session.
        if int(text.rpartition(")")[2].split()[3]) == session:
            found.append(int(entry.name))
    return found


def peak_of(pid):
    """VmHWM in bytes; 0 when the process is gone."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


class Run:
    """One run of a program. `on_line(seconds, text)` and `on_poll()` return True to stop it."""
    POLL_SECONDS = 0.5
    GRACE_SECONDS = 10

    def __init__(self, command, log, limit_seconds, on_line=None, on_poll=None):
        self.command, self.log, self.limit = command, log, limit_seconds
        self.on_line = on_line or (lambda seconds, text: False)
        self.on_poll = on_poll or (lambda: False)
        self.peak, self.lines, self.buffer = 0, [], b""

    def __call__(self):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **self.command.env}
        with self.log.open("wb", buffering=0) as log:
            begin = time.monotonic()
            process = subprocess.Popen([str(part) for part in self.command.argv], env=environment, cwd=self.command.cwd, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            stopped = True
            try:
                stopped = self.watch(process, log, begin + self.limit)
                seconds = time.monotonic() - begin
                self.look_at_memory(process.pid)
            finally:
                usage = self.end(process, stopped)
        # ru_maxrss: of the process or the largest of its children that it has waited for, in KiB.
        return Outcome(None if stopped else process.returncode, seconds, max(self.peak, usage.ru_maxrss * 1024), self.lines)

    def watch(self, process, log, deadline):
        """Until the program ends (False) or is to be stopped (True)."""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            next_poll = 0.0
            while True:
                if selector.select(self.POLL_SECONDS):
                    data = os.read(process.stdout.fileno(), 1 << 16)
                    if not data:
                        return False
                    log.write(data)
                    if self.take(time.monotonic(), data):
                        return True
                now = time.monotonic()
                if now >= next_poll:
                    next_poll = now + self.POLL_SECONDS
                    self.look_at_memory(process.pid)
                    if self.on_poll():
                        return True
                if now >= deadline:
                    return True

    def take(self, now, data):
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        stop = False
        for line in lines:
            text = line.decode("utf-8", errors="replace").rstrip("\r")
            self.lines.append(text)
            stop = self.on_line(now, text) or stop
        return stop

    def look_at_memory(self, session):
        for pid in session_processes(session):
            self.peak = max(self.peak, peak_of(pid))

    def end(self, process, stop):
        """Waits for the program, asking it to end at once (`stop`) or after a grace period; its resource usage."""
        signals = [signal.SIGTERM, signal.SIGKILL]
        deadline = time.monotonic() + (0 if stop else self.GRACE_SECONDS)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                self.signal_group(process.pid, signal.SIGKILL)  # children that outlive it
                process.stdout.close()
                return usage
            if signals and time.monotonic() >= deadline:
                self.signal_group(process.pid, signals.pop(0))
                deadline = time.monotonic() + self.GRACE_SECONDS
            time.sleep(0.02)

    @staticmethod
    def signal_group(group, number):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            pass


def run_to_end(command, log, limit_seconds=900):
    """Runs a program that must succeed."""
    outcome = Run(command, log, limit_seconds)()
    if outcome.code is None:
        raise Failed(f"ran longer than {limit_seconds:.0f} s ({log.name})")
    if outcome.code != 0:
        raise Failed(f"exit code {outcome.code}: {reason_in(outcome.lines)} ({log.name})")
    return outcome


def reason_in(lines):
    """The line that most likely says what went wrong: the last one with an error in it, else the last one."""
    filled = [line.strip() for line in lines if line.strip()]
    errors = [line for line in filled if "Error" in line or line.lower().startswith("error")]
    return (errors or filled or ["no output"])[-1][:300]
