// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/same_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "verify/compare/elements.h"

namespace stitch::evaluate {
namespace {

constexpr int64_t kAtOnce = 4096;
constexpr double kPartOfFloat = 2e-3;
constexpr double kPartOfHalf = 4e-2;

// Calls `take` with each pair of elements in turn.
template <typename Take>
void for_each_pair(const HostTensor& timed, const HostTensor& untimed, const Take& take) {
  double ours[kAtOnce];
  double theirs[kAtOnce];
  const int64_t count = untimed.spec().type.element_count();
  for (int64_t begin = 0; begin < count; begin += kAtOnce) {
    const int64_t piece = std::min(kAtOnce, count - begin);
    verify::load_doubles(timed, begin, piece, ours);
    verify::load_doubles(untimed, begin, piece, theirs);
    for (int64_t i = 0; i < piece; ++i) {
      take(ours[i], theirs[i]);
    }
  }
}

double root_mean_square(const HostTensor& tensor) {
  double sum = 0;
  int64_t count = 0;
  for_each_pair(tensor, tensor, [&](double value, double) {
    if (std::isfinite(value)) {
      sum += value * value;
      ++count;
    }
  });
  return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

bool is_same(const HostTensor& timed, const HostTensor& untimed) {
  if (timed.spec().type != untimed.spec().type) {
    return false;
  }
  if (std::memcmp(timed.bytes().data(), untimed.bytes().data(), timed.bytes().size()) == 0) {
    return true;
  }
  const DataType type = untimed.spec().type.dtype;
  if (!is_floating_point(type)) {
    return false;
  }
  const double part = element_bytes(type) >= 4 ? kPartOfFloat : kPartOfHalf;
  const double typical = root_mean_square(untimed);
  bool same = true;
  for_each_pair(timed, untimed, [&](double ours, double theirs) {
    const bool agrees = std::isfinite(theirs) ? std::abs(ours - theirs) <= part * (std::abs(theirs) + typical)
                                              : ours == theirs || (std::isnan(ours) && std::isnan(theirs));
    same = same && agrees;
  });
  return same;
}

}  // namespace

std::optional<std::string> find_difference(const std::vector<HostTensor>& timed,
                                           const std::vector<HostTensor>& untimed) {
  if (timed.size() != untimed.size()) {
    return fmt::format("{} results, not {}", timed.size(), untimed.size());
  }
  for (size_t i = 0; i < timed.size(); ++i) {
    if (!is_same(timed[i], untimed[i])) {
      return fmt::format("{} is another one than that of an untimed call on the same data", timed[i].spec().name);
    }
  }
  return std::nullopt;
}

}  // namespace stitch::evaluate
