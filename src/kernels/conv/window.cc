// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/window.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

namespace stitch::kernels {
namespace {

std::vector<std::string> last_of(const std::vector<std::string>& names, size_t count, const std::string& prefix) {
  std::vector<std::string> result;
  for (size_t i = names.size() - count; i < names.size(); ++i) {
    result.push_back(prefix + names[i]);
  }
  return result;
}

}  // namespace

int64_t WindowNumbers::taps() const {
  return std::accumulate(kernel.begin(), kernel.end(), int64_t{1}, std::multiplies<>());
}

std::string window_type(const std::string& type, const WindowNumbers& numbers) {
  std::vector<int64_t> all = numbers.kernel;
  for (const std::vector<int64_t>* more : {&numbers.stride, &numbers.padding, &numbers.dilation}) {
    all.insert(all.end(), more->begin(), more->end());
  }
  return fmt::format("{}<{}>", type, fmt::join(all, ", "));
}

std::vector<std::string> axis_names(size_t axes, const std::string& prefix) {
  return last_of({"z", "y", "x"}, axes, prefix);
}

std::vector<std::string> extent_names(size_t axes, const std::string& prefix) {
  return last_of({"depth", "height", "width"}, axes, prefix);
}

}  // namespace stitch::kernels
