// SPDX-License-Identifier: Apache-2.0
// Answers requests, one JSON object a line, as base/process/json_channel.h asks them: "complete" for a
// completion, "probe" for what an endpoint can with the model of the request's body.
#pragma once

namespace stitch::chat {

// Until the input ends. 0, or 1 where a line cannot be answered because it has no id.
int serve(int input, int output);

}  // namespace stitch::chat
