// SPDX-License-Identifier: Apache-2.0
// The language model that may lower marks: it is asked one question, by whoever makes the request.
#pragma once

#include "driver/score/gather_facts.h"
#include "rubric/score/score.h"

namespace stitch::driver {

// What `asked.judge` fails with; kEnvironment where Python cannot make its prompt; kFileInvalid where its answer has
// another form.
Result<rubric::JudgeReply> ask_judge(const Job& job, const rubric::RubricVersion& rubric, const ScoreRequest& asked,
                                     const ScoreSubject& subject);

}  // namespace stitch::driver
