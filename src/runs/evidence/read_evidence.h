// SPDX-License-Identifier: Apache-2.0
// The evidence files of a folder (path -> text), read with suspicion: any may be missing, cut or altered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json/json_forward.h"

namespace stitch::runs {

// {"task", "result", "verify", "environment", "seeds", "command", "program": {"model.py": its text}}: a file's object,
// or null and a sentence in `notes`.
Json read_evidence(const std::map<std::string, std::string>& folder, std::vector<std::string>& notes);

}  // namespace stitch::runs
