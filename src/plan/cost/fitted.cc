// SPDX-License-Identifier: Apache-2.0
#include "plan/cost/fitted.h"

#include <cctype>

#include "plan/cost/cost.h"

namespace stitch::plan {
namespace {

struct Fitted {
  std::string_view device;
  std::string_view skeleton;
  std::string_view kind;
  double factor;
};

constexpr Fitted kFitted[] = {
#define STITCH_FITTED(device, skeleton, kind, factor) {device, skeleton, kind, factor},
#include "plan/cost/fitted.def"
#undef STITCH_FITTED
};

}  // namespace

std::string_view kind_of_variant(std::string_view variant) {
  for (size_t i = 0; i + 1 < variant.size(); ++i) {
    if (variant[i] == '_' && std::isdigit(static_cast<unsigned char>(variant[i + 1])) != 0) {
      return variant.substr(0, i);
    }
  }
  return variant;
}

double fitted_factor(std::string_view device, std::string_view skeleton, const kernels::Setting& setting) {
  const std::string_view kind = kind_of_variant(setting.variant);
  for (const Fitted& row : kFitted) {
    if (row.device == device && row.skeleton == skeleton && row.kind == kind) {
      return row.factor;
    }
  }
  return 1;
}

double estimated_us(const kernels::KernelTemplate& kernel, const kernels::Setting& setting, const kernels::Work& work,
                    const kernels::DeviceLimits& limits) {
  const double launches_us = work.launches * limits.launch_us;
  const double factor = fitted_factor(limits.name, kernel.name(), setting);
  return launches_us + factor * (estimated_us(work, limits) - launches_us);
}

}  // namespace stitch::plan
