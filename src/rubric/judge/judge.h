// SPDX-License-Identifier: Apache-2.0
// What a language model says of a candidate, and how it is asked. Its answer is checked to the letter: a flag in quotes
// is no flag.
#pragma once

#include <map>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::rubric {

struct RubricVersion;
struct Facts;

struct JudgeReply {
  std::map<std::string, int> marks;  // by dimension, 1 to 5
  bool major_hack = false;
  std::string reason;
};

// kFileInvalid, with what is wrong, for text that is not the one JSON object asked for (a code fence around it may be).
Result<JudgeReply> judge_reply_from_text(const std::string& text);

// The prompt. `reference` lists operators; `candidate` is neutral text.
std::string judge_prompt(const RubricVersion& rubric, const Facts& facts, const std::string& reference,
                         const std::string& candidate);

}  // namespace stitch::rubric
