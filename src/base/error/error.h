// SPDX-License-Identifier: Apache-2.0
// The failure of the *world* around us: a code to branch on and a sentence for the person who must act. A candidate
// that falls short is not an Error; it is a Verdict (artifact/report/verdict.h).
#pragma once

#include <string>
#include <utility>

namespace stitch {

enum class ErrorCode {
  kUsage,                // the command line is wrong                                  exit 2
  kProgramInvalid,       // the user's program cannot be taken: a mistake in it        exit 3
  kUnsupportedOperator,  // the user's program needs an operator we lack               exit 3
  kFileInvalid,          // a stage file is missing, truncated or altered              exit 3
  kEnvironment,          // the machine lacks something: a tool, memory, disk, a GPU   exit 4
  kTimeout,              // something of ours did not answer in time                   exit 4
  kInternal,             // our bug, seen where we can still say so                    exit 5
  kInterrupted,          // the user said stop                                         exit 130
};

// The stable name that `error.code` carries in JSON, e.g. "unsupported_operator".
const char* to_string(ErrorCode code);
// The code with that stable name; kInternal for an unknown name.
ErrorCode error_code_from_string(const std::string& name);
// The documented exit status of the command line program.
int exit_status(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;   // what happened
  std::string location;  // where: file:line, a path, an operator's name; may be empty
  std::string remedy;    // what to do; may be empty
};

// The same error with `context`, which says where it happened, in front of its sentence.
Error with_context(Error error, const std::string& context);

}  // namespace stitch
