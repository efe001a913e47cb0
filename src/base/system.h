#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mha {

/// Peak resident set of this process in bytes: VmHWM of /proc/self/status. Not ru_maxrss, which survives exec and so
/// shows the parent's peak.
std::int64_t peak_resident_bytes();
/// Resident set of this process now, in bytes.
std::int64_t resident_bytes();

/// Memory that new processes can have without swapping, as the kernel estimates it, in bytes; 0 if it does not say.
std::int64_t available_memory_bytes();

/// The processor's model name from /proc/cpuinfo.
std::string processor_name();
/// "amx_bf16", "avx512_bf16", "avx512f", "avx2" or "baseline": the widest set that matters here.
std::string instruction_set();
/// Whether bf16 matrix products have instructions of their own (AMX-BF16 or AVX512-BF16).
bool has_native_bf16();

/// The words that this process was started with, from /proc/self/cmdline; the first without its folders. Empty if they
/// cannot be read.
std::vector<std::string> command_line();

}  // namespace mha
