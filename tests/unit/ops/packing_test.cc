#include "ops/packing.h"

#include <ATen/ops/zeros.h>

#include "unit/ops/compare.h"

namespace mha {
namespace {

const std::vector<std::int64_t> kOffsets = {0, 3, 3, 4, 9};  // lengths 3, 0, 1, 5

TEST(SeqLayout, KnowsWhereSequencesLie) {
  const SeqLayout layout(kOffsets);
  EXPECT_EQ(layout.count(), 4);
  EXPECT_EQ(layout.total(), 9);
  EXPECT_EQ(layout.max_length(), 5);
  EXPECT_EQ(layout.start(2), 3);
  EXPECT_EQ(layout.length(1), 0);
  EXPECT_EQ(layout.length(3), 5);
}

TEST(SeqLayout, RefusesOffsetsThatAreNone) {
  EXPECT_THROW(SeqLayout(std::vector<std::int64_t>{}), c10::Error);
  EXPECT_THROW(SeqLayout(std::vector<std::int64_t>{1, 2}), c10::Error);
  EXPECT_THROW(SeqLayout(std::vector<std::int64_t>{0, 4, 3}), c10::Error);
}

class Packing : public testing::ForEachType {};
MHA_FOR_EACH_TYPE(Packing);

at::Tensor pad_row_by_row(const at::Tensor& packed, const SeqLayout& layout) {
  at::Tensor padded = at::zeros({layout.count(), layout.max_length(), packed.size(1)}, packed.options());
  for (std::int64_t i = 0; i < layout.count(); ++i) {
    padded[i].narrow(0, 0, layout.length(i)).copy_(packed.narrow(0, layout.start(i), layout.length(i)));
  }
  return padded;
}

TEST_P(Packing, PadsWithZeros) {
  const SeqLayout layout(kOffsets);
  testing::expect_agreement([&](const auto& in) { return pad_packed(in[0], layout); },
                            [&](const auto& in) { return pad_row_by_row(in[0], layout); }, {random({9, 7})}, 0);
}

TEST_P(Packing, UnpadsWhatItPadded) {
  const SeqLayout layout(kOffsets);
  testing::expect_agreement([&](const auto& in) { return unpad(pad_packed(in[0], layout), layout); },
                            [&](const auto& in) { return in[0].clone(); }, {random({9, 7})}, 0);
}

TEST_P(Packing, PaddingGetsNoGradient) {
  const SeqLayout layout(kOffsets);
  const at::Tensor ones = at::zeros({9, 2}, GetParam()).fill_(1);
  const auto results =
      testing::value_and_gradients([&](const auto& in) { return unpad(in[0], layout); }, {random({4, 5, 2})}, ones);
  EXPECT_TRUE(at::equal(results[1], pad_row_by_row(ones, layout)));
}

TEST(Pack, RefusesRowsThatDoNotFit) {
  const SeqLayout layout(kOffsets);
  EXPECT_THROW(pad_packed(at::zeros({8, 2}), layout), c10::Error);
  EXPECT_THROW(unpad(at::zeros({4, 6, 2}), layout), c10::Error);
}

}  // namespace
}  // namespace mha
