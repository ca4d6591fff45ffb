// SPDX-License-Identifier: Apache-2.0
// Times that others have taken on a device of one kind, looked up by step: the same one, or the nearest that differs in
// extents alone. They choose settings and say nothing of whether a program is right; a setting that is no longer there
// is never asked for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuning/shipped/times_text.h"

namespace stitch::tuning {

// Extents of a similar step are within this factor, each of them.
constexpr double kMostApart = 2.0;

class ShippedTimes {
 public:
  // Those of `steps` that hold for the device and the mode.
  ShippedTimes(const std::vector<KnownStep>& steps, const std::string& device, const std::string& math);
  ShippedTimes(ShippedTimes&&) noexcept = default;  // no copies: parts of it point to others
  ShippedTimes& operator=(ShippedTimes&&) noexcept = default;

  bool is_empty() const { return by_signature_.empty(); }
  // Infinity where it does not run. Of steps that were carried over, scaled.
  std::optional<double> us(const std::string& signature, const kernels::Setting& setting) const;
  bool knows(const std::string& signature) const { return find(signature) != nullptr; }
  bool is_carried(const std::string& signature) const { return carried_.count(signature) > 0; }

  // Takes over times of a similar step, as they are to each other, scaled by the roofline of the two: from now on us()
  // has them. False where the step is known, or none is similar. Of several the one whose extents are nearest by
  // their logarithms.
  bool carry_over(const std::string& signature, const StepRecord& record);

 private:
  struct Carried {
    const KnownStep* from = nullptr;
    double scale = 1;
  };
  const KnownStep* find(const std::string& signature) const;

  std::map<std::string, KnownStep> by_signature_;
  std::multimap<std::string, const KnownStep*> by_family_;
  std::map<std::string, Carried> carried_;
};

}  // namespace stitch::tuning
