// SPDX-License-Identifier: Apache-2.0
// What agents did, as the page shows it: from evidence/agents.json (their state) and evidence/agents_texts.json.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "report/report.h"

namespace stitch::report {

// Null where no agents were asked. The state as it is, without what the page does not show; each attempt has `diff`
// against the text that it was to replace {base, added, removed, hunks}, `told` and `marks`; beside it `about` (who was
// asked), `questions` and their `texts`. What cannot be read is a note.
Json agents_json(const FolderTexts& folder, std::vector<std::string>& notes);

// Who wrote each step by its name, "02_gelu": as the result of the run says, since a best program that was refused when
// it was judged once more is the expert's. Null where it says nothing.
Json step_writers(const Json& result);

}  // namespace stitch::report
