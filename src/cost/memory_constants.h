#pragma once

// What the memory model cannot derive. Measured as the peak of resident memory (VmHWM) less the tensors' own peak, both
// from the reports of runs on the embedded corpus: x86-64 with AMX, glibc 2.36, LibTorch 2.13, 2 processors; 1 and 2
// threads, 2 to 60 updates, 0.04 to 45 million parameters. Fitted by hand to twenty such runs, whose tensors' peaks (9
// MB to 1.8 GB) the rest of the model meets within 3 %.

namespace mha {

inline constexpr double kMebibyte = 1 << 20;

/// The program with LibTorch, its threads and their stacks, vocabulary and corpus: a model of 40,000 parameters takes
/// 146 MiB in all.
inline constexpr double kProgramBytes = 148 * kMebibyte;

/// What lies unused between tensors, whose sizes change from batch to batch, and in huge pages, as a share of them: 8
/// to 14 % in most runs, 20 % in one.
inline constexpr double kUnusedShare = 0.12;

/// In bf16, what oneDNN keeps of every shape of product that it has met. Batches of 4,000 tokens have so many numbers
/// of rows (in steps of 64) that after twenty updates 95 to 180 MiB are reached, after two only half of that; smaller
/// ones have fewer.
inline constexpr double kKernelBytes = 130 * kMebibyte, kKernelRows = 4096;

}  // namespace mha
