// SPDX-License-Identifier: Apache-2.0
// What a workspace holds at the beginning, and which of its files are the answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/improve/workbench.h"

namespace stitch::agents {

inline constexpr const char* kProgramFolder = "expert";     // of a workspace: the program that is bettered
inline constexpr const char* kHostFile = "host.json";       // likewise, the choices for its host side
inline constexpr const char* kModuleFile = "model_new.py";  // likewise, the module in the program's place

// What a session hands in.
enum class AnswerForm {
  kSteps,   // files of the expert's steps, and choices for the host side
  kModule,  // one file with a class ModelNew, and nothing else
};

struct Pristine {
  std::map<std::string, std::string> files{};    // path to text
  std::map<std::string, std::string> answers{};  // step, host side or module to the path of its file
  // Of the answers those that are groups of nodes, as a session drew them (tools/requests/group.cc); at the beginning
  // there are none.
  std::map<std::string, std::vector<std::string>> groups{};
  AnswerForm form = AnswerForm::kSteps;
};

// As `stitchcuda workspace` writes it, of the program on the workbench.
Result<Pristine> pristine_of(driver::Workbench& workbench, AnswerForm form = AnswerForm::kSteps);

}  // namespace stitch::agents
