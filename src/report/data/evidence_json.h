// SPDX-License-Identifier: Apache-2.0
// The evidence files of a folder, read with suspicion: any may be missing, cut or altered.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "report/report.h"

namespace stitch::report {

// {"task", "result", "verify", "environment", "seeds", "command", "program": {"model.py": its text}}: a file's object,
// or null and a sentence in `notes`.
Json read_evidence(const FolderTexts& folder, std::vector<std::string>& notes);

}  // namespace stitch::report
