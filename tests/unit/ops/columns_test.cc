#include "ops/columns.h"

#include <ATen/ops/cat.h>

#include "unit/ops/compare.h"

namespace mha {
namespace {

TEST(Columns, SideBySideAreJoinedWithoutACopy) {
  const at::Tensor buffer = at::randn({5, 12});
  const std::vector<at::Tensor> parts = {buffer.narrow(1, 0, 4), buffer.narrow(1, 4, 1), buffer.narrow(1, 5, 7)};
  const at::Tensor joined = join_columns(parts);
  EXPECT_TRUE(joined.is_alias_of(buffer));
  EXPECT_TRUE(at::equal(joined, buffer));
  EXPECT_TRUE(at::equal(join_columns({buffer.narrow(1, 2, 3), buffer.narrow(1, 5, 2)}), buffer.narrow(1, 2, 5)));
}

TEST(Columns, OthersAreCopied) {
  const at::Tensor buffer = at::randn({5, 12}), other = at::randn({5, 3});
  for (const std::vector<at::Tensor>& parts :
       {std::vector{buffer.narrow(1, 4, 4), buffer.narrow(1, 0, 4)}, std::vector{buffer.narrow(1, 0, 4), other},
        std::vector{buffer.narrow(1, 0, 4), buffer.narrow(1, 5, 4)},
        std::vector{buffer.narrow(0, 0, 3).narrow(1, 0, 4), buffer.narrow(0, 2, 3).narrow(1, 4, 4)}}) {
    EXPECT_TRUE(at::equal(join_columns(parts), at::cat(parts, 1)));
    EXPECT_FALSE(join_columns(parts).is_alias_of(buffer));
  }
}

// The last column of a row and the first of the next lie side by side in memory, not in the matrix.
TEST(Columns, AColumnOfTheNextRowIsNoNeighbour) {
  const at::Tensor buffer = at::randn({6, 4});
  const at::Tensor a = buffer.narrow(0, 0, 5).narrow(1, 2, 2), b = buffer.narrow(0, 1, 5).narrow(1, 0, 4);
  EXPECT_TRUE(at::equal(join_columns({a, b}), at::cat({a, b}, 1)));
}

TEST(Columns, EmptyOnesAreSideBySideWhereTheirModelsAre) {
  const at::Tensor buffer = at::randn({5, 12}).to(at::kBFloat16);
  const std::vector<at::Tensor> joint = empty_columns_like({buffer.narrow(1, 3, 4), buffer.narrow(1, 7, 2)});
  EXPECT_EQ(joint[0].sizes(), at::IntArrayRef({5, 4}));
  EXPECT_EQ(joint[1].scalar_type(), at::kBFloat16);
  EXPECT_TRUE(join_columns(joint).is_alias_of(joint[0]));
  EXPECT_EQ(join_columns(joint).sizes(), at::IntArrayRef({5, 6}));
  const std::vector<at::Tensor> apart = empty_columns_like({buffer, at::randn({5, 2})});
  EXPECT_FALSE(apart[1].is_alias_of(apart[0]));
  EXPECT_EQ(apart[1].sizes(), at::IntArrayRef({5, 2}));
}

}  // namespace
}  // namespace mha
