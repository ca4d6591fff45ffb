// SPDX-License-Identifier: Apache-2.0
#include "tools/replies/verdict_reply.h"

#include "artifact/report/feedback.h"

namespace stitch::tools {

std::string told_kind(VerdictKind kind) {
  return kind == VerdictKind::kCheated || kind == VerdictKind::kInvalidTime ? "breaks_a_rule" : to_string(kind);
}

ToolReply verdict_reply(const Verdict& verdict, double error_ratio, const std::vector<std::string>& hints) {
  ToolReply reply;
  reply.outcome = verdict.kind == VerdictKind::kOk ? Outcome::kDone : Outcome::kFellShort;
  reply.text = feedback(verdict, error_ratio);
  for (const std::string& hint : hints) {
    reply.text += "\nhint: " + hint;
  }
  reply.facts["verdict"] = told_kind(verdict.kind);
  if (!verdict.sandbox.empty()) {
    reply.facts["sandbox"] = verdict.sandbox;
  }
  return reply;
}

}  // namespace stitch::tools
