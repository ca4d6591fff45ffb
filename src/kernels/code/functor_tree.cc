// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/functor_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::kernels {

size_t Place::first_used() const {
  return static_cast<size_t>(std::find(used_digits.begin(), used_digits.end(), true) - used_digits.begin());
}

std::string digit_label(const FunctorTree& functor, const IndexTerm& term) {
  const Place& place = functor.places[term.place];
  if (functor.shape.takes_index) {
    return place.digits() == 1 ? "element" : fmt::format("axis_{}", term.digit);
  }
  return place.digits() == 1 ? place.name : fmt::format("{}_{}", place.name, term.digit);
}

std::string stride_name(const FunctorTree& functor, const std::string& prefix, const IndexTerm& term) {
  return fmt::format("{}_{}_stride", prefix, digit_label(functor, term));
}

std::string divider_name(const Place& place, size_t digit) {
  return place.digits() == 2 ? place.name + "_divider" : fmt::format("{}_divider_{}", place.name, digit);
}

}  // namespace stitch::kernels
