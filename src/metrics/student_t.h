#pragma once

namespace mha {

/// Regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1 (DLMF 8.17).
double incomplete_beta(double a, double b, double x);

/// P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom, whole or not, to 1e-9; from a million on it is that
/// of the normal distribution.
double student_t_two_sided(double t, double df);

/// The t that T stays below with probability `p`, 0 < p < 1.
double student_t_quantile(double p, double df);

/// P(F >= f) of the F distribution, f >= 0.
double f_upper_tail(double f, double df_numerator, double df_denominator);

}  // namespace mha
