// SPDX-License-Identifier: Apache-2.0
#include "verify/oracle/oracle_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "verify/oracle/oracle_json.h"

namespace stitch::verify {
namespace {

Result<Json> written(const std::vector<HostTensor>& tensors, const char* group, const std::filesystem::path& folder) {
  Json paths = Json::array();
  for (const HostTensor& tensor : tensors) {
    const std::filesystem::path path = folder / fmt::format("given_{}_{}.bin", group, paths.size());
    const std::span<const std::byte> bytes = tensor.bytes();
    STITCH_TRY(write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    paths.push_back(path.string());
  }
  return paths;
}

}  // namespace

Result<OracleProgram> OracleClient::open(const OracleSource& source) {
  STITCH_ASSIGN(const Json answer, request_("oracle.open", to_json(source)));
  return oracle_program_from_json(answer);
}

Result<OracleDraw> OracleClient::draw(const OracleProgram& program, const std::string& regime, int draw) {
  STITCH_ASSIGN(const Json answer,
                request_("oracle.draw", Json{{"oracle", program.id}, {"regime", regime}, {"draw", draw}}));
  return oracle_draw_from_json(answer, program);
}

Result<OracleDraw> OracleClient::draw_staying(const OracleProgram& program, const std::string& regime, int number) {
  const Json arguments{{"oracle", program.id}, {"regime", regime}, {"draw", number}, {"stays", true}};
  STITCH_ASSIGN(const Json answer, request_("oracle.draw", arguments));
  return oracle_draw_from_json(answer, program);
}

// The oracle is certain of most tiles; of the others it hands over the worst. Where those turn out to be right and
// there are more, or the verdict on them hangs on tiles that did not come along, all of the output is judged here.
Result<OutputComparison> OracleClient::judge_doubt(const OracleProgram& program, const Json& outputs, size_t index,
                                                   MathMode math) {
  const TensorSpec spec = results_of(program).at(index);
  const Json arguments{{"oracle", program.id}, {"outputs", outputs}, {"whole", false}};
  STITCH_ASSIGN(const Json answer, request_("oracle.look_at", arguments));
  STITCH_ASSIGN(LookedAt seen, looked_at_from_json(answer.at("outputs").at(index), spec, input_epsilon(program)));
  if (!seen.got.has_value()) {
    return seen.comparison;
  }
  OutputComparison judged = compare_tiles(seen.reference, *seen.got, math, seen.tiles);
  const bool more_in_doubt = seen.in_doubt > static_cast<int64_t>(seen.tiles.size());
  if (judged.hangs_on_others || (!judged.refusal.has_value() && more_in_doubt)) {
    Json whole = arguments;
    whole["whole"] = true;
    STITCH_ASSIGN(const Json all, request_("oracle.look_at", whole));
    STITCH_ASSIGN(seen, looked_at_from_json(all.at("outputs").at(index), spec, input_epsilon(program)));
    return compare_output(seen.reference, *seen.got, math);
  }
  OutputStatistics& statistics = seen.comparison.statistics;
  statistics.max_ratio = std::max(statistics.max_ratio, judged.statistics.max_ratio);
  statistics.excused = judged.statistics.excused;
  statistics.max_excused = judged.statistics.max_excused;
  seen.comparison.refusal = judged.refusal.has_value() ? std::move(judged.refusal) : seen.comparison.refusal;
  return seen.comparison;
}

Result<std::vector<std::optional<OutputComparison>>> OracleClient::look_at(const OracleProgram& program,
                                                                           const std::vector<HostTensor>& got,
                                                                           MathMode math) {
  std::vector<std::optional<OutputComparison>> comparisons(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const TensorPlace* place = got[i].place();
    if (place == nullptr) {
      continue;
    }
    Json outputs = Json::array();
    for (size_t other = 0; other < got.size(); ++other) {
      outputs.push_back(nullptr);
    }
    outputs[i] = {{"handle", place->handle}, {"offset", place->offset}, {"bytes", got[i].spec().type.bytes()}};
    STITCH_ASSIGN(comparisons[i], judge_doubt(program, outputs, i, math));
  }
  return comparisons;
}

Result<void> OracleClient::rest(const OracleProgram& program) {
  STITCH_TRY(request_("oracle.rest", Json{{"oracle", program.id}}));
  return {};
}

Result<OracleDraw> OracleClient::given(const OracleProgram& program, const GivenContents& contents) {
  Json arguments{{"oracle", program.id}, {"draw", contents.draw}, {"folder", contents.folder.string()}};
  STITCH_ASSIGN(arguments["inputs"], written(contents.inputs, "input", contents.folder));
  STITCH_ASSIGN(arguments["states"], written(contents.states, "state", contents.folder));
  STITCH_ASSIGN(const Json answer, request_("oracle.given", arguments));
  return oracle_answers_from_json(answer, program);
}

Result<std::vector<OutputReference>> OracleClient::intermediates(const OracleProgram& program,
                                                                 const std::vector<TensorSpec>& values) {
  Json names = Json::array();
  for (const TensorSpec& value : values) {
    names.push_back(value.name);
  }
  STITCH_ASSIGN(const Json answer, request_("oracle.intermediates", Json{{"oracle", program.id}, {"names", names}}));
  STITCH_ASSIGN(const Json* entries, json_array(answer, "paths"));
  if (entries->size() != values.size()) {
    return failure(ErrorCode::kInternal, "the oracle answered with " + std::to_string(entries->size()) + " of " +
                                             std::to_string(values.size()) + " intermediate values");
  }
  std::vector<OutputReference> references;
  for (size_t i = 0; i < values.size(); ++i) {
    STITCH_ASSIGN(references.emplace_back(), output_reference_from_json((*entries)[i], values[i]));
  }
  return references;
}

Result<std::vector<std::vector<HostTensor>>> OracleClient::own_draws(const OracleProgram& program, int count) {
  STITCH_ASSIGN(const Json answer, request_("oracle.own_draws", Json{{"oracle", program.id}, {"count", count}}));
  return own_draws_from_json(answer, program);
}

Result<NullList> OracleClient::nulls(const OracleProgram& program) {
  STITCH_ASSIGN(const Json answer, request_("oracle.nulls", Json{{"oracle", program.id}}));
  return null_list_from_json(answer);
}

Result<std::vector<std::string>> OracleClient::unasked(const OracleProgram& program) {
  STITCH_ASSIGN(const Json answer, request_("oracle.unasked", Json{{"oracle", program.id}}));
  STITCH_ASSIGN(const Json* questions, json_array(answer, "questions"));
  std::vector<std::string> asked;
  for (const Json& question : *questions) {
    asked.push_back(question.is_string() ? question.get<std::string>() : "");
  }
  return asked;
}

Result<NullAnswer> OracleClient::null_answer(const OracleProgram& program, const NullCandidate& null) {
  STITCH_ASSIGN(const Json answer, request_("oracle.null", Json{{"oracle", program.id}, {"key", null.key}}));
  return null_answer_from_json(answer, program);
}

}  // namespace stitch::verify
