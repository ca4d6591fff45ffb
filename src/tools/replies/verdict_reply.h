// SPDX-License-Identifier: Apache-2.0
// What a candidate's author is told of a verdict, and not a word more (artifact/report/feedback.h).
#pragma once

#include <string>
#include <vector>

#include "artifact/report/verdict.h"
#include "tools/spec/tool.h"

namespace stitch::tools {

// Of a wrong answer `error_ratio` chooses among a few words and is not told.
ToolReply verdict_reply(const Verdict& verdict, double error_ratio, const std::vector<std::string>& hints);

// The verdict's kind as its author may know it: which rule was broken is one word.
std::string told_kind(VerdictKind kind);

}  // namespace stitch::tools
