// SPDX-License-Identifier: Apache-2.0
#include "rl/value/fit.h"

#include <vector>

#include "base/error/check.h"
#include "rl/value/moments.h"

namespace stitch::rl {

ValueFit value_fit(std::span<const double> returns, std::span<const double> values, std::span<const uint8_t> mask) {
  STITCH_CHECK(returns.size() == values.size()) << "a value for each return";
  std::vector<double> errors(returns.size());
  for (size_t i = 0; i < returns.size(); ++i) {
    errors[i] = returns[i] - values[i];
  }
  const Moments of_returns = moments_of(returns, mask);
  const Moments of_errors = moments_of(errors, mask);
  ValueFit fit{
      .bias = -of_errors.mean, .mean_return = of_returns.mean, .tokens = static_cast<int64_t>(of_returns.count)};
  if (of_returns.squares > 0) {
    fit.explained_variance = 1 - of_errors.squares / of_returns.squares;
  }
  return fit;
}

bool is_gate_open(const ValueFit& fit, const std::optional<double>& min_explained_variance) {
  return !min_explained_variance.has_value() ||
         (fit.explained_variance.has_value() && *fit.explained_variance >= *min_explained_variance);
}

}  // namespace stitch::rl
