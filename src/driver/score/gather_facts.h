// SPDX-License-Identifier: Apache-2.0
// What the rubric marks: a program judged and run, its text, and what its reference asks for.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "driver/job/job.h"
#include "driver/outside/judge_candidate.h"
#include "rubric/facts/facts.h"

namespace stitch::driver {

// Either what optimize left in a folder, or a candidate from elsewhere.
struct ScoreRequest {
  std::string folder;
  CandidateRequest candidate;  // `candidate.candidate` empty: the folder
  std::string feedback;        // what a refinement was asked to do, a file
  std::string previous;        // the sources that were refined
  std::string skill;           // "scratch", "refinement"; empty: by `feedback`
  // What a language model answers to a prompt, or why it did not; empty: no judge.
  std::function<Result<std::string>(const std::string& prompt)> judge;
  std::string rubric = "v3";  // a frozen version
  bool by_judge_alone = false;
  Options options;
};

struct ScoreSubject {
  rubric::Facts facts;
  std::map<std::string, std::string> text;  // of the candidate, by file
  bool is_python = false;
  std::string reference;  // the operators of the program, one a line, as far as they are known
};

// Judges what the request names and lists what ran. Without `with_verdict` only its text is read.
Result<ScoreSubject> gather_facts(Job& job, const ScoreRequest& request, bool with_verdict);
// Of a candidate that was judged, with what was listed meanwhile.
Result<ScoreSubject> gather_facts(Job& job, const ScoreRequest& request, const CandidateVerdict& verdict,
                                  const evaluate::LaunchLedger& launches);

}  // namespace stitch::driver
