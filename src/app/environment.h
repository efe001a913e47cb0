#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "config/config.h"
#include "report/provenance.h"

namespace mha {

/// The machine as a run uses it.
struct Environment {
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  int threads = 1;
  std::string device_name;  // "cpu" or "cuda"
};

/// Processors that this process may run on.
int usable_processors();

/// Resolves device, precision and threads, and sets threads and memory up. Call once, before the first tensor.
/// UserError for cuda where there is none.
Environment set_up_environment(const RunConfig& config);

/// The same as far as the configuration and the processor tell; asks for no device and sets nothing up. For plans of
/// runs that other processes will be.
Environment planned_environment(const RunConfig& config);

/// Whatever of the provenance does not depend on the run.
Provenance machine_provenance(const Environment& environment);

/// The text of --version.
std::string version_text();

}  // namespace mha
