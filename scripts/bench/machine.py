"""The machine that a benchmark ran on, as far as it matters to the figures."""
import os
import pathlib
import platform

FEATURES = ("avx2", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16", "amx_int8")


def describe():
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    values = dict(line.partition(":")[::2] for line in info.splitlines() if ":" in line)
    values = {key.strip(): value.strip() for key, value in values.items()}
    memory = pathlib.Path("/proc/meminfo").read_text(encoding="utf-8").split("\n")[0].split()[1]
    flags = values.get("flags", "").split()
    return {"processor": values.get("model name", platform.machine()), "family": values.get("cpu family"), "model": values.get("model"),
            "cores": len(os.sched_getaffinity(0)), "memory_gib": round(int(memory) / 2**20), "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(), "instructions": [name for name in FEATURES if name in flags]}


def sentence(machine):
    return (f"{machine['processor']} (family {machine['family']}, model {machine['model']}; {', '.join(machine['instructions'])}), "
            f"{machine['cores']} cores, {machine['memory_gib']} GiB of memory, {machine['system']}, Python {machine['python']}")


def busy():
    """Share of the cores that others use now, from the load of the last minute."""
    return os.getloadavg()[0] / len(os.sched_getaffinity(0))
