// SPDX-License-Identifier: Apache-2.0
// Who is asked to better a verified program before its folder is written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "driver/improve/workbench.h"

namespace stitch::driver {

struct StepAuthor {
  std::string step{};    // "03_fc1_gelu"
  std::string author{};  // "expert", or the name of a model
  int64_t attempt = 0;   // of a model, that the text is from
  double gained_us = 0;  // what the program became faster by with it
};

struct Improvement {
  std::string coder = "expert";                // who was asked: "expert", or the name of a model
  std::vector<StepAuthor> authors{};           // of every step, in order
  std::string summary{};                       // for people, in a line or two
  std::string figures{};                       // a JSON object: what `--json` tells of it
  std::map<std::string, std::string> files{};  // further files of the folder, path to text
};

// {"steps": [{"step", "author"}], ...} and what stands in `figures`.
Json to_json(const Improvement& improvement);

class Improver {
 public:
  virtual ~Improver() = default;
  // Tries texts on the workbench and leaves the best there. An Error leaves the folder of results as it was.
  virtual Result<Improvement> improve(Workbench& workbench) = 0;
};

}  // namespace stitch::driver
