// SPDX-License-Identifier: Apache-2.0
#include "base/process/resource_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace stitch {

std::optional<ResourceLimit> inherited_memory_limit() {
  struct Known {
    __rlimit_resource resource;
    const char* what;
    const char* option;
  };
  for (const auto& [resource, what, option] :
       {Known{RLIMIT_AS, "address space", "-v"}, Known{RLIMIT_DATA, "data", "-d"}}) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
      return ResourceLimit{
          limit.rlim_cur, fmt::format("the limit of {} MiB of {} (ulimit {})", limit.rlim_cur >> 20, what, option),
          fmt::format("lift it with `ulimit {} unlimited`, or in the shell or service that set it", option)};
    }
  }
  return std::nullopt;
}

}  // namespace stitch
