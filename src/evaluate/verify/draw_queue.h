// SPDX-License-Identifier: Apache-2.0
// Keeps the oracle one draw ahead: while the candidate runs on one draw, the next is computed on a thread of its own.
// Where draws stay with the oracle it makes the next one only when it is asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/verify/draw_plan.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// What to draw from one opened program.
struct DrawPlan {
  verify::OracleSource source;
  std::vector<std::string> regimes;  // empty: all that the oracle names
  DrawUses uses{.per_regime = 1};  // whether on a GPU follows from the source
  std::string shape = {};
};

struct QueuedDraw {
  size_t subject = 0;                                    // index into the plans
  std::shared_ptr<const verify::OracleProgram> program;  // shared by all draws of the plan
  std::shared_ptr<const ShapeDraws> planned;             // likewise
  std::string regime;
  int number = 0;  // in its regime
  bool is_last_of_regime = false;
  bool is_last_of_plan = false;
  verify::OracleDraw draw;
  // Set when PyTorch rejects these sizes: `program` is then null. The subject's only item; never set for the first.
  std::string refusal = {};
};

class DrawQueue {
 public:
  // The oracle is used by the queue's thread alone until destruction, which waits for the request under way; where
  // draws stay, it may be asked about a draw until the next one is asked for.
  DrawQueue(verify::Oracle& oracle, std::vector<DrawPlan> plans);
  ~DrawQueue();

  // The next draw, plan by plan and regime by regime; nothing when all are done. An Error ends the queue.
  Result<std::optional<QueuedDraw>> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stitch::evaluate
