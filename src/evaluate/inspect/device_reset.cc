// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/device_reset.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::evaluate {
namespace {

bool resets(const elf::Import& import) {
  return import.name == "cudaDeviceReset" || import.name == "cudaThreadExit" ||
         import.name.starts_with("cuDevicePrimaryCtxReset");
}

}  // namespace

void tell_device_reset(const elf::LibraryFacts& library, verify::Findings& findings) {
  const auto found = std::find_if(library.imports.begin(), library.imports.end(), resets);
  if (found == library.imports.end()) {
    return;
  }
  for (Finding& finding : findings.list) {
    const bool says_so =
        finding.reason.find(found->name) != std::string::npos;  // a draw beside, on the emulated device
    if (finding.kind == VerdictKind::kCrashed && !says_so) {
      finding.reason +=
          fmt::format("; it calls {}(), which ends the context in which its caller works, too", found->name);
    }
  }
}

}  // namespace stitch::evaluate
