// SPDX-License-Identifier: Apache-2.0
// What the rubric marks: a program judged and run, its text, and what its reference asks for.
#pragma once

#include <map>
#include <string>

#include "cli/stages/session.h"
#include "rubric/facts/facts.h"

namespace stitch::cli {

struct ScoreSubject {
  rubric::Facts facts;
  std::map<std::string, std::string> text;  // of the candidate, by file
  bool is_python = false;
  std::string reference;  // the operators of the program, one a line, as far as they are known
};

// Judges what the command line names and lists what ran. Without `with_verdict` only its text is read.
Result<ScoreSubject> gather_facts(Session& session, bool with_verdict);

}  // namespace stitch::cli
