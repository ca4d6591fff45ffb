// SPDX-License-Identifier: Apache-2.0
// The oracle's requests and answers as JSON.
#pragma once

#include "base/json/json_forward.h"
#include "verify/oracle/oracle.h"

namespace stitch::verify {

Json to_json(const OracleSource& source);
Result<OracleProgram> oracle_program_from_json(const Json& json);
Result<OracleDraw> oracle_draw_from_json(const Json& json, const OracleProgram& program);
// The same without inputs, parameters and states.
Result<OracleDraw> oracle_answers_from_json(const Json& json, const OracleProgram& program);
// {"runs": [[path of each output, then of each new state]]}
Result<std::vector<std::vector<HostTensor>>> own_draws_from_json(const Json& json, const OracleProgram& program);
// {"nulls": [{"key", "number", "about", "outputs"}], "notes": [...]}
Result<NullList> null_list_from_json(const Json& json);
// {"run": [path of each output, then of each new state], "applies"}; without paths it says nothing.
Result<NullAnswer> null_answer_from_json(const Json& json, const OracleProgram& program);
// One entry {"name", "ref64", "native", "runs": [...], "kind"} about the value that `spec` describes.
Result<OutputReference> output_reference_from_json(const Json& json, const TensorSpec& spec);

// What the oracle found of an output where it lies; with the elements that are in doubt, where there are such.
struct LookedAt {
  OutputComparison comparison;   // of the tiles that it is certain of: refused for lost small numbers at most
  int64_t in_doubt = 0;          // tiles
  std::vector<int64_t> tiles{};  // those that came along
  OutputReference reference{};
  std::optional<HostTensor> got{};
};
Result<LookedAt> looked_at_from_json(const Json& json, const TensorSpec& spec, double input_epsilon);
// The coarsest epsilon of what the program is given; 0 where none of it is floating-point.
double input_epsilon(const OracleProgram& program);
// Outputs, then new states.
std::vector<TensorSpec> results_of(const OracleProgram& program);

}  // namespace stitch::verify
