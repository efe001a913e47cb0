"""What was measured: records that go to the JSON as they are, and the views of them that the page shows."""
import dataclasses
import statistics

from .ratios import fastest, paired, spread

OURS = "mha-train"


@dataclasses.dataclass(frozen=True)
class Cell:
    """One program on one job: spread over the rounds of the speed, and our speed over it in the same rounds, by our program's name."""
    program: str
    speed: object
    peak_bytes: int
    ratios: dict


@dataclasses.dataclass(frozen=True)
class Best:
    """One of our programs against the fastest of the peers, and our memory against the leanest of them."""
    program: str
    fastest: str
    ratio: object
    leanest: str
    memory_ratio: float


class Results:
    """`records`: dicts with kind (train or decode), job, program, round and what was measured; `failures`: with a reason."""

    def __init__(self, programs):
        self.programs, self.records, self.failures = programs, [], []

    def add(self, **record):
        self.records.append(record)

    def fail(self, program, where, reason):
        self.failures.append({"program": program, "where": where, "reason": reason})

    def speeds(self, key, **wanted):
        """Value by round, by program, of the records that match."""
        found = {name: {} for name in self.programs}
        for record in self.records:
            if all(record.get(name) == value for name, value in wanted.items()):
                found[record["program"]][record["round"]] = record[key]
        return {name: values for name, values in found.items() if values}

    def table(self, key, **wanted):
        """Cells, the fastest program first."""
        speeds = self.speeds(key, **wanted)
        peaks = self.speeds("peak_bytes", **wanted)
        cells = [Cell(name, spread(list(values.values())), round(statistics.median(peaks[name].values())),
                      {ours: paired(speeds[ours], values) for ours in speeds if is_ours(ours) and not is_ours(name)})
                 for name, values in speeds.items()]
        return sorted(cells, key=lambda cell: -cell.speed.median)

    def best(self, ours, precisions, key, **wanted):
        """None if `ours` or all peers of these precisions are missing."""
        speeds = self.speeds(key, **wanted)
        peers = {name: values for name, values in speeds.items() if not is_ours(name) and self.programs[name].precision in precisions}
        first = fastest(peers)
        if first is None or ours not in speeds:
            return None
        peaks = self.speeds("peak_bytes", **wanted)
        memory = {name: statistics.median(peaks[name].values()) for name in [ours, *peers]}
        leanest = min(peers, key=memory.get)
        return Best(ours, first, paired(speeds[ours], speeds[first]), leanest, memory[ours] / memory[leanest])


def is_ours(name):
    return name.startswith(OURS)
