#pragma once

#include <cstdint>
#include <string>

namespace mha {

/// "2GB" -> 2,000,000,000; "512MiB" -> 536,870,912; "1.5G" as ulimit and SLURM mean it: binary; a plain number: bytes.
/// UserError beginning with `where`.
std::int64_t parse_bytes(const std::string& text, const std::string& where);

}  // namespace mha
