// SPDX-License-Identifier: Apache-2.0
#include "driver/job/interpreter.h"

#include "base/json/json.h"

namespace stitch::driver {

std::string interpreter_of(const Resources& resources, const Json& interface) {
  const Result<std::string> told = json_string(interface, "interpreter");
  return told.has_value() && !told->empty() ? *told : resources.python.string();
}

}  // namespace stitch::driver
