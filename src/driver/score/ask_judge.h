// SPDX-License-Identifier: Apache-2.0
// The language model that may lower marks: one request to an endpoint in OpenAI's form, by a process of its own.
#pragma once

#include "driver/score/gather_facts.h"
#include "rubric/score/score.h"

namespace stitch::driver {

// kEnvironment where the endpoint cannot be reached or answers with an error; kFileInvalid where its answer has
// another form.
Result<rubric::JudgeReply> ask_judge(const Job& job, const rubric::RubricVersion& rubric, const ScoreRequest& asked,
                                     const ScoreSubject& subject);

}  // namespace stitch::driver
