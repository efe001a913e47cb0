#include "app/environment.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/system.h"
#include "base/version.h"
#include "ops/memory.h"
#include "ops/tensor_memory.h"

namespace mha {
namespace {

at::Device resolve_device(Device wanted) {
  const bool available = at::hasCUDA();
  if (wanted == Device::cuda && !available) {
    throw UserError("device: there is no CUDA device that this LibTorch can use; set device to \"cpu\" or \"auto\"");
  }
  return wanted == Device::cpu || !available ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
}

at::ScalarType training_dtype(Precision wanted, bool cuda) {
  const bool bf16_is_fast = cuda || has_native_bf16();
  const bool bf16 = wanted == Precision::bf16 || (wanted == Precision::automatic && bf16_is_fast);
  return bf16 ? at::kBFloat16 : at::kFloat;
}

int threads_of(const RunConfig& config) {
  return config.threads > 0 ? static_cast<int>(config.threads) : usable_processors();
}

}  // namespace

int usable_processors() {
  // The kernel refuses (EINVAL) a set that is smaller than its own, whose size it does not tell.
  constexpr std::size_t most = 1U << 20;
  for (std::size_t size = CPU_SETSIZE; size <= most; size *= 2) {
    std::vector<cpu_set_t> set(size / CPU_SETSIZE);
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0) return std::max(1, CPU_COUNT_S(bytes, set.data()));
    if (errno != EINVAL) break;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Environment set_up_environment(const RunConfig& config) {
  Environment environment;
  environment.threads = threads_of(config);
  keep_freed_pages();
  use_tensor_arena();
  bound_product_caches();
  start_threads(environment.threads);
  environment.device = resolve_device(config.device);
  environment.device_name = environment.device.is_cpu() ? "cpu" : "cuda";
  environment.dtype = training_dtype(config.train.precision, environment.device.is_cuda());
  return environment;
}

Environment planned_environment(const RunConfig& config) {
  const bool cuda = config.device == Device::cuda;
  return {.device = cuda ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU),
          .dtype = training_dtype(config.train.precision, cuda),
          .threads = threads_of(config),
          .device_name = cuda ? "cuda" : "cpu"};
}

Provenance machine_provenance(const Environment& environment) {
  Provenance provenance;
  provenance.version = version();
  provenance.commit = version_commit();
  provenance.libtorch = TORCH_VERSION;
  provenance.sentencepiece = MHA_SENTENCEPIECE_VERSION;
  provenance.processor = processor_name();
  provenance.instruction_set = instruction_set();
  provenance.device = environment.device_name;
  provenance.precision = environment.dtype == at::kBFloat16 ? "bf16" : "fp32";
  provenance.threads = environment.threads;
  return provenance;
}

std::string version_text() {
  std::ostringstream out;
  out << "mha-train " << version() << " (commit " << version_commit() << ")\n"
      << "LibTorch " << TORCH_VERSION << ", SentencePiece " << MHA_SENTENCEPIECE_VERSION << "\n"
      << usable_processors() << " threads, " << processor_name() << ", " << instruction_set() << "\n";
  return out.str();
}

}  // namespace mha
