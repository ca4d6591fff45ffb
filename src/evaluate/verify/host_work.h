// SPDX-License-Identifier: Apache-2.0
// Whose work an answer is: the kernels', or the host's.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/subject_run.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

struct HostWorkRequest {
  const std::vector<verify::OracleDraw>& draws;
  const std::vector<verify::OracleDraw>& others;  // more contents, with their answers
  MathMode math = MathMode::kFp32;
  bool needs_kernels = false;
  uint64_t seed = 0;
  double call_seconds = 0;  // what a call takes
  // The same which no call has had: each is used before one comes again. Asked for once, where it is there.
  std::function<Result<std::vector<verify::OracleDraw>>()> draw_fresh{};
  LaunchLedger* ledger = nullptr;  // where kernels that do nothing are marked, for whoever is not refused
  bool keeps_apart = false;        // whole calls too: memory that is open is not to tell that these calls come
  bool had_companion = false;      // a process without kernels was there all the time (Companion): few more are asked
  bool starts_anew = true;         // and one from its first call on
};

// What becomes of a call in which kernels do nothing. How it fails does not matter: nobody calls it so.
enum class Answer { kFailed, kWrong, kRight };
Result<Answer> answer_in(const RunSettings& settings, const verify::OracleDraw& draw, MathMode math,
                         Candidate& candidate);

// Whether a right answer to this draw says anything of who gave it: it is not one value again and again, random bytes
// are not right too, and some other draw has another.
bool tells_who_worked(const verify::OracleDraw& draw, const std::vector<verify::OracleDraw>& others, MathMode math,
                      std::mt19937_64& random);

// What an answer to this draw says that was right without kernels; nothing where copies within the device give it too
// and the program does not need kernels.
Result<std::optional<Finding>> judge_right_answer(const verify::OracleDraw& draw, MathMode math, bool needs_kernels,
                                                  Candidate& candidate);

// Makes more calls at the very end, and returns a finding where the host did the work. In a drawn number of them
// kernels and libraries do nothing. Where one's answer is right all the same, only copies within the device work in the
// next: a program that merely moves its input passes that one, unless it `needs_kernels`. Then the program is started
// anew, and no kernel runs from its first call on: whoever works on the host in early calls alone has a number there
// too. What it is left with are tables that no kernel has filled: nothing else is asked of it afterwards.
Result<std::optional<Finding>> refuse_host_work(const HostWorkRequest& request, Candidate& candidate);

}  // namespace stitch::evaluate
