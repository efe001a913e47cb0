"""Ratios between programs that were measured in the same round, and their spread over the rounds."""
import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float
    rounds: int


def spread(values):
    """None of no values."""
    return Spread(statistics.median(values), min(values), max(values), len(values)) if values else None


def paired(ours, theirs):
    """ours / theirs in every round that both were measured in. Both: value by round."""
    return spread([ours[number] / theirs[number] for number in sorted(ours.keys() & theirs.keys())])


def fastest(by_program):
    """The program with the highest median. `by_program`: values by round, by program; None without one."""
    medians = {name: statistics.median(values.values()) for name, values in by_program.items() if values}
    return max(medians, key=medians.get) if medians else None
