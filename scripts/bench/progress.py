"""From points of progress, (seconds, updates, target tokens), to a speed after a warm-up."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Point:
    """State after an update. `seconds` is any clock that runs on evenly; updates and tokens count from the start."""
    seconds: float
    updates: int
    target_tokens: float


@dataclasses.dataclass(frozen=True)
class Speed:
    """What happened between two points."""
    seconds: float
    updates: int
    target_tokens: float

    @property
    def tokens_per_second(self):
        return self.target_tokens / self.seconds


@dataclasses.dataclass(frozen=True)
class Plan:
    """When the clock starts and stops: after so many updates and so many seconds since the first point; for so many seconds."""
    warmup_updates: int = 3
    warmup_seconds: float = 5.0
    seconds: float = 40.0


class Clock:
    """Takes points in order; knows when enough was measured."""

    def __init__(self, plan):
        self.plan = plan
        self.first = self.start = self.last = None

    def add(self, point):
        """True when the measurement is complete."""
        if self.first is None:
            self.first = point
        warm = (point.updates >= self.plan.warmup_updates
                and point.seconds - self.first.seconds >= self.plan.warmup_seconds)
        if self.start is None and warm:
            self.start = point
        self.last = point
        return self.start is not None and point.seconds - self.start.seconds >= self.plan.seconds

    def speed(self):
        """None if there are not two points after the warm-up."""
        if self.start is None or self.last.seconds <= self.start.seconds:
            return None
        return Speed(self.last.seconds - self.start.seconds, self.last.updates - self.start.updates,
                     self.last.target_tokens - self.start.target_tokens)


class Means:
    """Adds up lines that say how many tokens the updates since the line before had."""

    def __init__(self):
        self.updates, self.target_tokens = 0, 0.0

    def add(self, seconds, updates, target_tokens):
        """`updates`: the number of the last update, from 1. `target_tokens`: mean per update since the line before."""
        self.target_tokens += target_tokens * (updates - self.updates)
        self.updates = updates
        return Point(seconds, updates, self.target_tokens)


class Rates:
    """Adds up lines that say only how many tokens a second there were since the line before."""

    def __init__(self):
        self.seconds, self.target_tokens = None, 0.0

    def add(self, seconds, updates, target_tokens):
        """`target_tokens`: per second."""
        if self.seconds is not None:
            self.target_tokens += target_tokens * (seconds - self.seconds)
        self.seconds = seconds
        return Point(seconds, updates, self.target_tokens)
