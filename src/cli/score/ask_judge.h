// SPDX-License-Identifier: Apache-2.0
// The language model that may lower marks: one request to an endpoint in OpenAI's form, by a process of its own.
#pragma once

#include "cli/score/gather_facts.h"
#include "rubric/score/score.h"

namespace stitch::cli {

// kEnvironment where the endpoint cannot be reached or answers with an error; kFileInvalid where its answer has
// another form.
Result<rubric::JudgeReply> ask_judge(const Session& session, const rubric::RubricVersion& rubric,
                                     const ScoreSubject& subject);

}  // namespace stitch::cli
