// SPDX-License-Identifier: Apache-2.0
#include "tools/replies/error_reply.h"

namespace stitch::tools {

std::string error_text(const Error& error) {
  const bool says_where = error.location.empty() || error.message.find(error.location) != std::string::npos;
  std::string text = error.message + (says_where ? "" : " (" + error.location + ")") + ".";
  return error.remedy.empty() ? text : text + " What to do: " + error.remedy + ".";
}

Json error_json(const Error& error) {
  return Json{{"code", to_string(error.code)},
              {"sentence", error.message},
              {"place", error.location},
              {"remedy", error.remedy}};
}

bool is_callers(ErrorCode code) {
  return code == ErrorCode::kUsage || code == ErrorCode::kProgramInvalid || code == ErrorCode::kUnsupportedOperator ||
         code == ErrorCode::kFileInvalid;
}

}  // namespace stitch::tools
