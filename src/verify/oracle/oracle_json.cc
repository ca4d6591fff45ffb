// SPDX-License-Identifier: Apache-2.0
#include "verify/oracle/oracle_json.h"

#include <algorithm>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "artifact/tensor/tensor_json.h"
#include "base/json/json.h"
#include "base/json/shown.h"
#include "verify/compare/elements.h"
#include "verify/compare/small_numbers.h"

namespace stitch::verify {
namespace {

Result<std::vector<TensorSpec>> specs_from_json(const Json& json, const char* key, TensorRole role) {
  STITCH_ASSIGN(const Json* entries, json_array(json, key));
  std::vector<TensorSpec> specs;
  for (const Json& entry : *entries) {
    STITCH_ASSIGN(TensorSpec spec, tensor_spec_from_json(entry, role));
    specs.push_back(std::move(spec));
  }
  return specs;
}

// Maps the file and takes its name away, so that the oracle's next draw makes a new file instead of changing this one.
Result<HostTensor> take_file(const TensorSpec& spec, const std::string& path) {
  auto tensor = HostTensor::map_file(spec, path);
  if (tensor.has_value()) {
    std::error_code ignored;  // a file that stays behind only costs memory until its folder goes
    std::filesystem::remove(path, ignored);
  }
  return tensor;
}

Result<std::string> path_at(const Json& paths, size_t i) {
  if (i >= paths.size() || !paths[i].is_string()) {
    return failure(ErrorCode::kInternal, "the oracle named no file for tensor " + std::to_string(i));
  }
  return paths[i].get<std::string>();
}

Result<HostTensor> tensor_at_place(const TensorSpec& spec, const Json& place) {
  TensorPlace told;
  STITCH_ASSIGN(told.handle, json_string(place, "handle"));
  STITCH_ASSIGN(const int64_t offset, json_int(place, "offset"));
  STITCH_ASSIGN(const int64_t bytes, json_int(place, "bytes"));
  if (bytes != spec.type.bytes() || offset < 0) {
    return failure(ErrorCode::kInternal, "the oracle's place of " + spec.name + " has another size");
  }
  told.offset = static_cast<uint64_t>(offset);
  return HostTensor::at_place(spec, std::move(told));
}

// Of files, and of places where the oracle keeps what is large.
Result<std::vector<HostTensor>> tensors_from_json(const Json& json, const char* key,
                                                  const std::vector<TensorSpec>& specs) {
  STITCH_ASSIGN(const Json* paths, json_array(json, key));
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (i < paths->size() && (*paths)[i].is_object()) {
      STITCH_ASSIGN(tensors.emplace_back(), tensor_at_place(specs[i], (*paths)[i]));
      continue;
    }
    STITCH_ASSIGN(const std::string path, path_at(*paths, i));
    STITCH_ASSIGN(tensors.emplace_back(), take_file(specs[i], path));
  }
  return tensors;
}

Result<std::vector<HostTensor>> runs_from_json(const Json& json, const char* key, const TensorSpec& spec) {
  if (!json.contains(key)) {
    return std::vector<HostTensor>{};
  }
  STITCH_ASSIGN(const Json* paths, json_array(json, key));
  return tensors_from_json(json, key, std::vector<TensorSpec>(paths->size(), spec));
}

Result<OutputKind> kind_from_json(const Json& json, const TensorSpec& spec) {
  if (!json.contains("kind")) {
    return is_floating_point(spec.type.dtype) ? OutputKind::kFloat : OutputKind::kExact;
  }
  STITCH_ASSIGN(const std::string kind, json_string(json, "kind"));
  if (kind == "float") {
    return OutputKind::kFloat;
  }
  if (kind == "exact") {
    return OutputKind::kExact;
  }
  if (kind == "index") {
    return OutputKind::kIndex;
  }
  return failure(ErrorCode::kInternal, "the oracle named an unknown kind of output: " + kind);
}

Result<std::optional<IndexSource>> index_source_from_json(const Json& json) {
  if (!json.contains("values64")) {
    return std::optional<IndexSource>{};
  }
  STITCH_ASSIGN(const std::string path, json_string(json, "values64"));
  STITCH_ASSIGN(std::vector<int64_t> shape, json_int_list(json, "values_shape"));
  STITCH_ASSIGN(const int64_t axis, json_int(json, "axis"));
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size())) {
    return failure(ErrorCode::kInternal, "the oracle's indices point along an axis that their values lack");
  }
  STITCH_ASSIGN(const int64_t kept, json_int(json, "kept"));
  if (kept < 1) {
    return failure(ErrorCode::kInternal, "the oracle's lines of indices hold none");
  }
  const TensorSpec spec{"indexed values", TensorRole::kOutput, {DataType::kFloat64, std::move(shape)}};
  STITCH_ASSIGN(HostTensor values, take_file(spec, path));
  STITCH_ASSIGN(const bool distinct, json_bool(json, "distinct"));
  STITCH_ASSIGN(const bool stable, json_bool(json, "stable"));
  return std::optional<IndexSource>(IndexSource{std::move(values), axis, kept, distinct, stable});
}

Result<void> append_references(const Json& json, const char* key, const std::vector<TensorSpec>& specs,
                               std::vector<OutputReference>& references) {
  STITCH_ASSIGN(const Json* entries, json_array(json, key));
  if (entries->size() != specs.size()) {
    return failure(ErrorCode::kInternal,
                   std::string("the oracle's draw has another number of ") + key + " than the program it opened");
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    STITCH_ASSIGN(OutputReference reference, output_reference_from_json((*entries)[i], specs[i]));
    reference.name = specs[i].role == TensorRole::kState ? "state " + specs[i].name : "output " + std::to_string(i);
    references.push_back(std::move(reference));
  }
  return {};
}

// Of the floating-point tensors; 0 when there are none.
double coarsest_epsilon(std::initializer_list<const std::vector<TensorSpec>*> groups) {
  double coarsest = 0;
  for (const std::vector<TensorSpec>* group : groups) {
    for (const TensorSpec& spec : *group) {
      if (is_floating_point(spec.type.dtype)) {
        coarsest = std::max(coarsest, epsilon(spec.type.dtype));
      }
    }
  }
  return coarsest;
}

}  // namespace

Json to_json(const OracleSource& source) {
  Json json = source.task.arguments();
  json["math"] = to_string(source.task.math);
  json["seed"] = source.seed;
  json["device"] = to_string(source.device);
  json["folder"] = source.folder.string();
  return json;
}

Result<OracleProgram> oracle_program_from_json(const Json& json) {
  OracleProgram program;
  STITCH_ASSIGN(program.id, json_int(json, "oracle"));
  STITCH_ASSIGN(const Json* regimes, json_array(json, "regimes"));
  for (const Json& regime : *regimes) {
    if (!regime.is_string()) {
      return failure(ErrorCode::kInternal, "the oracle's list of regimes holds something that is not a name");
    }
    program.regimes.push_back(regime.get<std::string>());
  }
  STITCH_ASSIGN(program.inputs, specs_from_json(json, "inputs", TensorRole::kInput));
  for (const Json& input : json["inputs"]) {
    program.whole_inputs.push_back(input.contains("whole") && input["whole"] == true);
  }
  if (json.contains("random_inputs")) {
    STITCH_ASSIGN(const int64_t random_inputs, json_int(json, "random_inputs"));
    program.random_inputs = static_cast<size_t>(random_inputs);
  }
  STITCH_ASSIGN(program.parameters, specs_from_json(json, "parameters", TensorRole::kParameter));
  STITCH_ASSIGN(program.states, specs_from_json(json, "states", TensorRole::kState));
  STITCH_ASSIGN(program.outputs, specs_from_json(json, "outputs", TensorRole::kOutput));
  STITCH_ASSIGN(program.states_out, specs_from_json(json, "states_out", TensorRole::kState));
  for (size_t i = 0; i < program.states_out.size(); ++i) {
    program.states_out[i].name = shown_string(json["states_out"][i], "binding", program.states_out[i].name);
  }
  STITCH_ASSIGN(const Json* gate, json_object(json, "gate"));
  STITCH_ASSIGN(program.gate_ok, json_bool(*gate, "ok"));
  if (gate->contains("max_ratio") && (*gate)["max_ratio"].is_number()) {
    program.gate_max_ratio = (*gate)["max_ratio"].get<double>();
  }
  return program;
}

Result<OracleDraw> oracle_answers_from_json(const Json& json, const OracleProgram& program) {
  OracleDraw draw;
  if (json.contains("dropped") && json["dropped"].is_string()) {
    draw.dropped = json["dropped"].get<std::string>();
    return draw;
  }
  if (json.contains("fallback") && json["fallback"].is_string()) {
    draw.note = json["fallback"].get<std::string>();
  }
  STITCH_TRY(append_references(json, "outputs", program.outputs, draw.outputs));
  STITCH_TRY(append_references(json, "states_out", program.states_out, draw.outputs));
  if (json.contains("near_ties")) {
    STITCH_ASSIGN(draw.near_ties, json_int(json, "near_ties"));
  }
  if (json.contains("cpu_s") && json["cpu_s"].is_number()) {
    draw.cpu_seconds = json["cpu_s"].get<double>();
  }
  const double unit = input_epsilon(program);
  for (OutputReference& output : draw.outputs) {
    output.input_epsilon = unit;
  }
  return draw;
}

Result<OracleDraw> oracle_draw_from_json(const Json& json, const OracleProgram& program) {
  OracleDraw given;
  if (!json.contains("dropped") || !json["dropped"].is_string()) {
    STITCH_ASSIGN(given.inputs, tensors_from_json(json, "inputs", program.inputs));
    STITCH_ASSIGN(given.parameters, tensors_from_json(json, "parameters", program.parameters));
    STITCH_ASSIGN(given.states, tensors_from_json(json, "states", program.states));
  }
  STITCH_ASSIGN(OracleDraw draw, oracle_answers_from_json(json, program));
  draw.inputs = std::move(given.inputs);
  draw.parameters = std::move(given.parameters);
  draw.states = std::move(given.states);
  return draw;
}

Result<std::vector<std::vector<HostTensor>>> own_draws_from_json(const Json& json, const OracleProgram& program) {
  const std::vector<TensorSpec> specs = results_of(program);
  STITCH_ASSIGN(const Json* runs, json_array(json, "runs"));
  std::vector<std::vector<HostTensor>> tensors;
  for (const Json& run : *runs) {
    STITCH_ASSIGN(tensors.emplace_back(), tensors_from_json(Json{{"run", run}}, "run", specs));
  }
  return tensors;
}

Result<NullList> null_list_from_json(const Json& json) {
  NullList list;
  STITCH_ASSIGN(const Json* entries, json_array(json, "nulls"));
  for (const Json& entry : *entries) {
    NullCandidate null;
    STITCH_ASSIGN(null.key, json_string(entry, "key"));
    STITCH_ASSIGN(null.number, json_string(entry, "number"));
    STITCH_ASSIGN(null.about, json_string(entry, "about"));
    STITCH_ASSIGN(null.by_output, json_bool(entry, "outputs"));
    list.nulls.push_back(std::move(null));
  }
  STITCH_ASSIGN(const Json* notes, json_array(json, "notes"));
  for (const Json& note : *notes) {
    list.notes.push_back(note.is_string() ? note.get<std::string>() : "");
  }
  return list;
}

Result<NullAnswer> null_answer_from_json(const Json& json, const OracleProgram& program) {
  NullAnswer answer;
  STITCH_ASSIGN(answer.applies, json_bool(json, "applies"));
  STITCH_ASSIGN(answer.silent, json_int_list(json, "silent"));
  STITCH_ASSIGN(answer.unchanged, json_int_list(json, "unchanged"));
  STITCH_ASSIGN(const Json* paths, json_array(json, "run"));
  if (!paths->empty()) {
    STITCH_ASSIGN(answer.made, tensors_from_json(json, "run", results_of(program)));
  }
  return answer;
}

Result<OutputReference> output_reference_from_json(const Json& json, const TensorSpec& spec) {
  OutputReference reference;
  reference.name = spec.name;
  reference.type = spec.type;
  STITCH_ASSIGN(reference.kind, kind_from_json(json, spec));
  if (json.contains("stays")) {
    STITCH_ASSIGN(reference.stays, json_bool(json, "stays"));
    return reference;
  }
  TensorSpec truth = spec;
  truth.type.dtype = reference.kind == OutputKind::kFloat ? DataType::kFloat64 : DataType::kInt64;
  STITCH_ASSIGN(const std::string truth_path, json_string(json, "ref64"));
  STITCH_ASSIGN(reference.reference, take_file(truth, truth_path));
  STITCH_ASSIGN(const std::string native_path, json_string(json, "native"));
  STITCH_ASSIGN(reference.native, take_file(spec, native_path));
  if (json.contains("native_fp32")) {
    reference.native_in_mode = std::move(reference.native);
    STITCH_ASSIGN(const std::string fp32_path, json_string(json, "native_fp32"));
    STITCH_ASSIGN(reference.native, take_file(spec, fp32_path));
  }
  // Two runs on inputs moved by one ulp come first, then those whose sums are disturbed.
  STITCH_ASSIGN(reference.perturbed, runs_from_json(json, "runs", spec));
  constexpr size_t kPerturbedRuns = 2;
  while (reference.perturbed.size() > kPerturbedRuns) {
    reference.disturbed.push_back(std::move(reference.perturbed.back()));
    reference.perturbed.pop_back();
  }
  STITCH_ASSIGN(reference.tf32_runs, runs_from_json(json, "runs_tf32", spec));
  if (json.contains("rounds_openly")) {
    STITCH_ASSIGN(reference.rounds_openly, json_bool(json, "rounds_openly"));
  }
  STITCH_ASSIGN(reference.otherwise, runs_from_json(json, "otherwise", truth));
  STITCH_ASSIGN(reference.index_source, index_source_from_json(json));
  return reference;
}

namespace {

// {"group", "lost", "known", "element", "got", "expected"}, or null.
Result<std::optional<Refusal>> lost_from_json(const Json& json) {
  if (!json.contains("lost") || json["lost"].is_null()) {
    return std::optional<Refusal>();
  }
  const Json& lost = json["lost"];
  Refusal first;
  STITCH_ASSIGN(first.element, json_int(lost, "element"));
  STITCH_ASSIGN(first.got, json_double(lost, "got"));
  STITCH_ASSIGN(first.expected, json_double(lost, "expected"));
  STITCH_ASSIGN(const int64_t group, json_int(lost, "group"));
  STITCH_ASSIGN(const int64_t count, json_int(lost, "lost"));
  STITCH_ASSIGN(const int64_t known, json_int(lost, "known"));
  return std::optional(refused_as_lost(static_cast<int>(group), count, known, first));
}

// {"ratio", "kind", "by", "allowed", "element", "column"}, the last two null for a whole output; or null.
Result<std::optional<OneWay>> one_way_from_json(const Json& json) {
  if (!json.contains("one_way") || json["one_way"].is_null()) {
    return std::optional<OneWay>();
  }
  const Json& found = json["one_way"];
  OneWay one_way;
  STITCH_ASSIGN(one_way.ratio, json_double(found, "ratio"));
  STITCH_ASSIGN(const std::string kind, json_string(found, "kind"));
  one_way.kind = kind == "offset"     ? OneWay::Kind::kOffset
                 : kind == "together" ? OneWay::Kind::kTogether
                                      : OneWay::Kind::kScale;
  STITCH_ASSIGN(one_way.by, json_double(found, "by"));
  STITCH_ASSIGN(one_way.allowed, json_double(found, "allowed"));
  if (found.contains("element") && !found["element"].is_null()) {
    STITCH_ASSIGN(one_way.element, json_int(found, "element"));
  }
  if (found.contains("column") && !found["column"].is_null()) {
    STITCH_ASSIGN(one_way.column, json_int(found, "column"));
  }
  return std::optional(one_way);
}

}  // namespace

Result<LookedAt> looked_at_from_json(const Json& json, const TensorSpec& spec, double input_epsilon) {
  LookedAt seen;
  OutputStatistics& statistics = seen.comparison.statistics;
  STITCH_ASSIGN(statistics.elements, json_int(json, "elements"));
  STITCH_ASSIGN(statistics.ill_conditioned, json_int(json, "ill_conditioned"));
  STITCH_ASSIGN(statistics.max_ratio, json_double(json, "max_ratio"));
  STITCH_ASSIGN(statistics.error_sum, json_double(json, "error_sum"));
  STITCH_ASSIGN(statistics.own_error_sum, json_double(json, "own_error_sum"));
  STITCH_ASSIGN(statistics.kernelbench_rule_ok, json_bool(json, "kernelbench_rule_ok"));
  statistics.looser.are_known = statistics.kernelbench_rule_ok;
  STITCH_ASSIGN(const Json* buckets, json_array(json, "ulps"));
  for (const Json& bucket : *buckets) {
    statistics.ulps.add_to_bucket(bucket.at(0).get<int64_t>(), bucket.at(1).get<int64_t>());
  }
  STITCH_ASSIGN(const double largest, json_double(json, "ulp_max"));
  statistics.ulps.raise_maximum(largest);
  STITCH_ASSIGN(seen.in_doubt, json_int(json, "in_doubt"));
  STITCH_ASSIGN(seen.comparison.refusal, lost_from_json(json));
  STITCH_ASSIGN(seen.comparison.one_way, one_way_from_json(json));
  if (!json.contains("got")) {
    return seen;
  }
  STITCH_ASSIGN(seen.tiles, json_int_list(json, "tiles"));
  STITCH_ASSIGN(seen.reference, output_reference_from_json(json, spec));
  seen.reference.input_epsilon = input_epsilon;
  STITCH_ASSIGN(const std::string path, json_string(json, "got"));
  STITCH_ASSIGN(HostTensor got, take_file(spec, path));
  seen.got.emplace(std::move(got));
  return seen;
}

double input_epsilon(const OracleProgram& program) {
  return coarsest_epsilon({&program.inputs, &program.parameters, &program.states});
}

std::vector<TensorSpec> results_of(const OracleProgram& program) {
  std::vector<TensorSpec> specs = program.outputs;
  specs.insert(specs.end(), program.states_out.begin(), program.states_out.end());
  return specs;
}

}  // namespace stitch::verify
