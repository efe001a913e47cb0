#pragma once

namespace mha {

/// Denormal results and operands become zero in this thread: bits 15 (flush to zero) and 6 (denormals are zero) of
/// MXCSR, bit 24 of FPCR. Such numbers are a hundred times slower, and sharp attention makes them.
void flush_denormals();

}  // namespace mha
