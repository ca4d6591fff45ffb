// SPDX-License-Identifier: Apache-2.0
// What stands out in a candidate's source or machine code. It explains a verdict and says where a person should look;
// it decides nothing but where it is what no kernel needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch {

struct SourceFact {
  std::string file;  // as the candidate names it; of machine code the kernel
  int64_t line = 0;  // 0: of all of it
  std::string what;
  bool audit = false;         // a person should look
  bool refused = false;       // no kernel needs this
  bool uncompilable = false;  // no compiler for GPUs takes this

  std::string message() const;  // "program.cu:12: reads a clock (clock64)"
};

// kFileInvalid for another form. Long texts and a long list are cut.
Result<std::vector<SourceFact>> source_facts_from_json(const Json& json, const char* key);

}  // namespace stitch
