#include "metrics/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/json.h"

namespace mha {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(StudentT, QuantilesEqualMpmath) {
  const json rows = read_json(MHA_SOURCE_DIR "/tests/golden/significance_golden.json")["student_t"];
  ASSERT_GE(rows.size(), 40U);
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump());
    const auto p = row[0].get<double>(), df = row[1].get<double>(), t = row[2].get<double>();
    EXPECT_NEAR(student_t_quantile(p, df) / t, 1.0, 1e-9);
    EXPECT_NEAR(student_t_quantile(1.0 - p, df) / t, -1.0, 1e-9);
    EXPECT_NEAR(student_t_two_sided(t, df) / (2.0 * (1.0 - p)), 1.0, 1e-9);
    EXPECT_EQ(student_t_two_sided(-t, df), student_t_two_sided(t, df));
  }
}

TEST(StudentT, ClosedForms) {
  for (const double t : {1e-9, 0.3, 1.0, 4.0, 1e6}) {
    SCOPED_TRACE(t);
    EXPECT_NEAR(student_t_two_sided(t, 1.0), 1.0 - 2.0 / std::numbers::pi * std::atan(t), 1e-12);
    EXPECT_NEAR(student_t_two_sided(t, 2.0), 1.0 - t / std::sqrt(2.0 + t * t), 1e-12);
  }
  EXPECT_NEAR(student_t_quantile(0.975, kInfinity), 1.959963984540054, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.975, 2e5), 1.959963984540054, 2e-5);
  EXPECT_NEAR(student_t_quantile(0.5, 3.0), 0.0, 1e-12);
  EXPECT_EQ(student_t_two_sided(kInfinity, 3.0), 0.0);
  EXPECT_EQ(student_t_two_sided(0.0, 3.0), 1.0);
}

TEST(FDistribution, ClosedForms) {
  EXPECT_NEAR(f_upper_tail(3.0, 2.0, 2.0), 0.25, 1e-12) << "1 / (1 + f)";
  EXPECT_NEAR(f_upper_tail(4.0, 1.0, 7.0), student_t_two_sided(2.0, 7.0), 1e-12) << "t squared";
  EXPECT_NEAR(f_upper_tail(1.5, 2.0, 6.0), std::pow(1.5, -3.0), 1e-12) << "(1 + 2 f / 6)^-3";
  EXPECT_EQ(f_upper_tail(0.0, 3.0, 4.0), 1.0);
}

TEST(IncompleteBeta, ClosedForms) {
  for (const double x : {0.0, 1e-6, 0.2, 0.5, 0.9, 1.0}) {
    SCOPED_TRACE(x);
    EXPECT_NEAR(incomplete_beta(1.0, 1.0, x), x, 1e-13);
    EXPECT_NEAR(incomplete_beta(3.0, 1.0, x), x * x * x, 1e-13);
    EXPECT_NEAR(incomplete_beta(2.0, 3.0, x), x * x * (6.0 - 8.0 * x + 3.0 * x * x), 1e-13);
    EXPECT_NEAR(incomplete_beta(0.5, 0.5, x), 2.0 / std::numbers::pi * std::asin(std::sqrt(x)), 1e-13);
  }
}

}  // namespace
}  // namespace mha
