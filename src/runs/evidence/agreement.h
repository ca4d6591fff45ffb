// SPDX-License-Identifier: Apache-2.0
// Compares two verdicts on one program: the one on record and the one just made.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::runs {

struct Agreement {
  std::string recorded;  // the kind of verdict: "ok", "wrong" ...
  std::string repeated;
  int figures = 0;                         // errors of an output in a regime at a shape, on record
  int identical = 0;                       // of those, given again to the last bit
  double max_change = 0;                   // of the others: |now - then| / max(now, then)
  std::vector<std::string> only_recorded;  // "SHAPE, REGIME, OUTPUT" that was not judged again
  std::vector<std::string> only_repeated;

  bool agrees() const { return recorded == repeated; }
};

// Compares two reports as evaluate::to_json writes them. kFileInvalid when the one on record cannot be read as one.
Result<Agreement> agreement(const Json& recorded, const Json& repeated);

Json to_json(const Agreement& agreement);
// A few lines for people.
std::string describe(const Agreement& agreement);

}  // namespace stitch::runs
