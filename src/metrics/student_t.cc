#include "metrics/student_t.h"

#include <cmath>
#include <numbers>

namespace mha {
namespace {

// lgamma of larger arguments loses more digits to cancellation than the difference from the normal distribution
// matters.
constexpr double kNormalFrom = 1e6;

/// 1 + d_1 / (1 + d_2 / (1 + ...)) with the coefficients of DLMF 8.17.23, by Lentz's method as modified by Thompson and
/// Barnett (1986): c and d are the ratios of successive numerators and denominators.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  constexpr double accuracy = 1e-15;
  const auto nonzero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double value = 1.0, c = 1.0, d = 0.0;
  for (int n = 1; n < 100'000; ++n) {
    const double m = n / 2;
    const double numerator = n % 2 == 0 ? m * (b - m) : -(a + m) * (a + b + m);
    const double coefficient = numerator * x / ((a + n - 1) * (a + n));
    d = 1.0 / nonzero(1.0 + coefficient * d);
    c = nonzero(1.0 + coefficient / c);
    value *= c * d;
    if (std::abs(c * d - 1.0) < accuracy) break;
  }
  return value;
}

/// I_x(a, b) with y = 1 - x given apart, so that neither end loses digits.
double regularized_beta(double a, double b, double x, double y) {
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  // The fraction converges fast below the mean only; beyond it I_x(a, b) = 1 - I_y(b, a).
  if (x > (a + 1.0) / (a + b + 2.0)) return 1.0 - regularized_beta(b, a, y, x);
  const double log_y = x < 0.5 ? std::log1p(-x) : std::log(y);
  const double log_front =
      a * std::log(x) + b * log_y + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) - std::log(a);
  return std::exp(log_front) / beta_fraction(a, b, x);
}

}  // namespace

double incomplete_beta(double a, double b, double x) { return regularized_beta(a, b, x, 1.0 - x); }

double student_t_two_sided(double t, double df) {
  if (df >= kNormalFrom) return std::erfc(std::abs(t) / std::numbers::sqrt2);
  if (std::isinf(t)) return 0.0;
  const double sum = df + t * t;
  return regularized_beta(df / 2.0, 0.5, df / sum, t * t / sum);
}

double student_t_quantile(double p, double df) {
  if (p < 0.5) return -student_t_quantile(1.0 - p, df);
  const double outside = 2.0 * (1.0 - p);
  double low = 0.0, high = 1.0;
  while (student_t_two_sided(high, df) > outside) high *= 2.0;
  // Bisection: some 60 steps, but it cannot fail.
  for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
    (student_t_two_sided(middle, df) > outside ? low : high) = middle;
  }
  return high;
}

double f_upper_tail(double f, double df_numerator, double df_denominator) {
  const double sum = df_denominator + df_numerator * f;
  return regularized_beta(df_denominator / 2.0, df_numerator / 2.0, df_denominator / sum, df_numerator * f / sum);
}

}  // namespace mha
