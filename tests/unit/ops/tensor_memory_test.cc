#include "ops/tensor_memory.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace mha {
namespace {

TEST(PeakTensorBytes, IsTheMostHeldAtOnceAndDoesNotFall) {
  use_tensor_arena();
  const std::int64_t before = peak_tensor_bytes();
  constexpr std::int64_t megabyte = 1 << 20;
  {
    const at::Tensor a = at::empty({8 * megabyte}, at::kByte);
    const at::Tensor b = at::empty({4 * megabyte}, at::kByte);
    EXPECT_GE(peak_tensor_bytes(), before + 12 * megabyte);
  }
  const std::int64_t peak = peak_tensor_bytes();
  const at::Tensor c = at::empty({8 * megabyte}, at::kByte);
  EXPECT_EQ(peak_tensor_bytes(), peak) << "8 MB now are less than the 12 MB before";
  EXPECT_LT(peak, before + 16 * megabyte) << "freed blocks must be taken off";
}

}  // namespace
}  // namespace mha
