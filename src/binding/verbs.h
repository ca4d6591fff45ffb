// SPDX-License-Identifier: Apache-2.0
// What can be asked. Each verb's answer is what the command line's --json prints for the verb of that name, where there
// is one.
#pragma once

#include <span>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "driver/job/job.h"

namespace stitch::binding {

struct Verb {
  const char* name;
  Result<Json> (*run)(const Json& request, const driver::Services& services);
  bool needs_own_files;  // runtime/, report/
};
std::span<const Verb> verbs();

}  // namespace stitch::binding
