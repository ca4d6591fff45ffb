// SPDX-License-Identifier: Apache-2.0
#include "evaluate/calls/program_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json/json.h"
#include "evaluate/calls/call_types.h"

namespace stitch::evaluate {
namespace {

constexpr uint64_t kMaxKeptBytes = uint64_t{64} << 20;

uint64_t bytes_of(const std::vector<HostTensor>& tensors) {
  uint64_t bytes = 0;
  for (const HostTensor& tensor : tensors) {
    bytes += static_cast<uint64_t>(tensor.spec().type.bytes());
  }
  return bytes;
}

void append(const std::vector<wire::Region>& regions, std::vector<wire::Region>& to) {
  to.insert(to.end(), regions.begin(), regions.end());
}

std::vector<HostTensor> given_to(const CandidateCall& call) {
  std::vector<HostTensor> given(call.inputs.begin(), call.inputs.end());
  given.insert(given.end(), call.states.begin(), call.states.end());
  return given;
}

}  // namespace

Result<void> ProgramCalls::check_types(const char* what, const std::vector<TensorType>& given,
                                       const std::vector<wire::TensorDescription>& described) {
  const std::optional<std::string> mismatch = find_mismatch(what, given, described);
  return mismatch.has_value() ? session_.fail(Ending::kRefused, *mismatch) : Result<void>();
}

// What the caller says of the results, or what the program declares.
Result<void> ProgramCalls::adopt_results(const CandidateCall& call, CallMemory& memory) {
  const wire::ProgramDescription& program = *session_.description();
  memory.output_types = types_of(program.outputs);
  memory.state_types = types_of(program.states_out);
  if (call.results.empty()) {
    return {};
  }
  const size_t outputs = std::min(call.results.size(), program.outputs.size());
  memory.output_types.assign(call.results.begin(), call.results.begin() + static_cast<int64_t>(outputs));
  memory.state_types.assign(call.results.begin() + static_cast<int64_t>(outputs), call.results.end());
  STITCH_TRY(check_types("outputs", memory.output_types, program.outputs));
  return check_types("new states", memory.state_types, program.states_out);
}

ConstantMemory ProgramCalls::parameter_constants() const {
  const wire::ProgramDescription& program = *session_.description();
  ConstantMemory constants;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    constants.add(parameter_memory_.regions.at(i),
                  fmt::format("{} {}", to_string(program.parameters[i].spec.role), program.parameters[i].spec.name));
  }
  constants.add_red_zones(parameter_memory_, "parameters");
  constants.add_red_zones(prepared_memory_, "prepared memory");
  return constants;
}

ConstantMemory ProgramCalls::prepared_constants() const {
  ConstantMemory constants = parameter_constants();
  constants.add(prepared_memory_.regions.at(0), "prepared memory");
  return constants;
}

// What stays during one call.
ConstantMemory ProgramCalls::call_constants(const CallMemory& memory) const {
  const wire::ProgramDescription& program = *session_.description();
  ConstantMemory constants;
  constants.add_red_zones(memory.inputs, "inputs");
  constants.add_red_zones(memory.results, "outputs");
  constants.add_red_zones(workspace_, "workspace");
  const size_t inputs = memory.input_types.size();
  for (size_t i = 0; i < inputs; ++i) {
    constants.add(memory.inputs.regions.at(i), "input " + program.inputs[i].spec.name);
  }
  for (size_t i = 0; i < program.states_in.size(); ++i) {
    constants.add(memory.inputs.regions.at(inputs + i), "state " + program.states_in[i].spec.name + " (its old value)");
  }
  return constants;
}

Result<double> ProgramCalls::prepare_now() {
  const wire::ProgramDescription& program = *session_.description();
  is_prepared_ = false;
  STITCH_TRY(check_settled());
  STITCH_TRY(check_types("parameters and constants", types_of(parameters_), program.parameters));
  STITCH_TRY(session_.place(parameter_memory_, sizes_of(types_of(parameters_)), kTensorAlignment, AskedBy::kTask));
  STITCH_TRY(session_.place(prepared_memory_, {program.prepared_bytes}, kBlockAlignment, AskedBy::kProgram));
  STITCH_TRY(session_.keeper().fill(parameter_memory_.regions, parameters_));
  std::vector<wire::Region> poisoned = parameter_memory_.red_zones;
  append(prepared_memory_.red_zones, poisoned);
  append(prepared_memory_.regions, poisoned);
  STITCH_TRY(session_.keeper().poison(poisoned));
  Json arguments;
  arguments["parameters"] = wire::to_json(arguments_of(types_of(program.parameters), parameter_memory_.regions, 0));
  arguments["prepared"] = wire::to_json(prepared_memory_.regions);
  STITCH_ASSIGN(const KeeperClient::Stopped stopped, ask_timed("prepare", arguments, parameter_constants(), {}, {}));
  is_prepared_ = true;
  return stopped.elapsed_us;
}

Result<void> ProgramCalls::make_ready() {
  STITCH_ASSIGN(const bool is_new, session_.ensure_loaded());
  if (is_new || !is_prepared_) {
    STITCH_TRY(prepare_now());
  }
  return check_settled();
}

Result<CandidateOutcome> ProgramCalls::prepare(std::vector<HostTensor> parameters) {
  parameters_ = std::move(parameters);
  STITCH_TRY(session_.ensure_loaded());
  CandidateOutcome outcome;
  STITCH_ASSIGN(outcome.elapsed_us, prepare_now());
  return outcome;
}

// A new state has the name of the old one, and its type: both are the program's word, and one that gives a name to
// something larger has its states apart.
std::vector<int> ProgramCalls::new_states_of_old() const {
  const wire::ProgramDescription& program = *session_.description();
  std::vector<int> result;
  for (const wire::TensorDescription& before : program.states_in) {
    const auto after = std::find_if(program.states_out.begin(), program.states_out.end(), [&](const auto& state) {
      return state.spec.name == before.spec.name && state.spec.type == before.spec.type;
    });
    result.push_back(after == program.states_out.end() ? -1 : static_cast<int>(after - program.states_out.begin()));
  }
  return result;
}

// Results and all that lies around the call's memory hold random bytes, which no answer looks like; and now and then
// results hold the last call's outputs, which do, for a program that tells the one from the other.
Result<void> ProgramCalls::poison_call(const CallMemory& memory, CallTrial trial) {
  std::vector<wire::Region> poisoned = memory.inputs.red_zones;
  append(memory.results.red_zones, poisoned);
  append(memory.results.regions, poisoned);
  STITCH_TRY(session_.keeper().poison(poisoned));
  const bool fits =
      last_outputs_.size() == memory.output_types.size() && types_of(last_outputs_) == memory.output_types;
  // Without kernels too, so that these calls do not look otherwise: what is asked there has another answer than the
  // last whole call had. Not where the same call is made again, whose answer was right.
  const bool may_look_right = trial != CallTrial::kDeviceCopiesAlone;
  if (!fits || !may_look_right || !session_.by_chance(4)) {
    return {};
  }
  const auto end = memory.results.regions.begin() + static_cast<int64_t>(last_outputs_.size());
  return session_.keeper().fill({memory.results.regions.begin(), end}, last_outputs_);
}

Result<std::vector<uint64_t>> ProgramCalls::describe_call(const CandidateCall& call, CallMemory& memory) {
  const wire::ProgramDescription& program = *session_.description();
  memory.input_types = types_of(call.inputs);
  STITCH_TRY(check_types("inputs", memory.input_types, program.inputs));
  STITCH_TRY(check_types("states", types_of(call.states), program.states_in));
  STITCH_TRY(adopt_results(call, memory));
  memory.replaced_by = call.states_in_place ? new_states_of_old() : std::vector<int>(call.states.size(), -1);
  std::vector<uint64_t> sizes = sizes_of(memory.output_types);
  const std::vector<uint64_t> of_states = sizes_of(memory.state_types);
  sizes.insert(sizes.end(), of_states.begin(), of_states.end());
  return sizes;
}

Result<void> ProgramCalls::place_call(const CandidateCall& call, CallMemory& memory) {
  STITCH_ASSIGN(const std::vector<uint64_t> result_sizes, describe_call(call, memory));
  STITCH_TRY(session_.place(memory.inputs, sizes_of(types_of(given_to(call))), kTensorAlignment, AskedBy::kTask));
  return session_.place(memory.results, result_sizes, kTensorAlignment, AskedBy::kTask);
}

Result<void> ProgramCalls::fill_call(const CandidateCall& call, const CallMemory& memory) {
  STITCH_TRY(poison_call(memory, call.trial));
  STITCH_TRY(session_.keeper().fill(memory.inputs.regions, given_to(call)));
  if (!call.states_in_place) {
    return {};
  }
  std::vector<wire::Region> regions;
  for (size_t i = 0; i < call.states.size(); ++i) {
    regions.push_back(memory.old_state(i));
  }
  return session_.keeper().fill(regions, call.states);
}

Result<void> ProgramCalls::place_workspace(const CallMemory& memory) {
  Json arguments;
  arguments["inputs"] = wire::to_json(arguments_of(memory.input_types, memory.inputs.regions, 0));
  STITCH_ASSIGN(const wire::Answer answer, session_.ask("workspace", arguments));
  const Result<int64_t> bytes = json_int(answer.json(), "bytes");
  if (!bytes.has_value() || *bytes < 0) {
    return session_.fail(Ending::kTampered, "the program wrote into its worker's channel");
  }
  STITCH_TRY(session_.place(workspace_, {static_cast<uint64_t>(*bytes)}, kBlockAlignment, AskedBy::kProgram));
  std::vector<wire::Region> poisoned = workspace_.red_zones;
  append(workspace_.regions, poisoned);
  return session_.keeper().poison(poisoned);
}

wire::CallArguments ProgramCalls::bind_call(const CandidateCall& call, const CallMemory& memory) const {
  const wire::ProgramDescription& program = *session_.description();
  wire::CallArguments arguments;
  arguments.inputs = arguments_of(memory.input_types, memory.inputs.regions, 0);
  std::vector<wire::Region> old_states;
  for (size_t i = 0; i < program.states_in.size(); ++i) {
    old_states.push_back(memory.old_state(i));
  }
  arguments.states_in = arguments_of(types_of(program.states_in), old_states, 0);
  arguments.outputs = arguments_of(memory.output_types, memory.results.regions, 0);
  arguments.states_out = arguments_of(memory.state_types, memory.results.regions, program.outputs.size());
  arguments.workspace = workspace_.regions.at(0);
  arguments.rng_seed = call.rng_seed;
  arguments.rng_offset = call.rng_offset;
  return arguments;
}

// All is looked at together: each message to the keeper wakes two processes.
Result<KeeperClient::Stopped> ProgramCalls::ask_timed(const std::string& verb, const Json& request,
                                                      ConstantMemory constants, const ConstantMemory& prepared,
                                                      const std::vector<wire::Region>& results) {
  std::vector<wire::Region> looked_at = constants.regions();
  append(prepared.regions(), looked_at);
  append(results, looked_at);
  STITCH_ASSIGN(std::vector<int64_t> before, session_.keeper().clock_start(constants.regions()));
  constants.remember_digests(std::move(before));
  STITCH_TRY(session_.ask(verb, request));
  STITCH_ASSIGN(KeeperClient::Stopped stopped, session_.keeper().clock_stop(looked_at));
  const std::span<const int64_t> now(stopped.digests);
  const size_t of_constants = constants.regions().size();
  const size_t of_prepared = prepared.regions().size();
  STITCH_TRY(prepared.check_digests(session_, now.subspan(of_constants, of_prepared)));
  STITCH_TRY(constants.check_digests(session_, now.first(of_constants)));
  stopped.digests.erase(stopped.digests.begin(),
                        stopped.digests.begin() + static_cast<int64_t>(of_constants + of_prepared));
  return stopped;
}

Json ProgramCalls::run_request(const CandidateCall& call) const {
  Json request;
  request["call"] = wire::to_json(bind_call(call, memory_));
  request["schedule_seed"] = static_cast<int64_t>(call.schedule_seed);
  request["trial"] = static_cast<int>(call.trial);
  request["left_out"] = static_cast<int64_t>(call.left_out);
  request["stream"] = call.stream;
  return request;
}

std::vector<TensorSpec> ProgramCalls::result_specs(const CallMemory& memory) const {
  const wire::ProgramDescription& program = *session_.description();
  std::vector<TensorSpec> specs;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    specs.push_back({program.outputs[i].spec.name, TensorRole::kOutput, memory.output_types[i]});
  }
  for (size_t i = 0; i < program.states_out.size(); ++i) {
    specs.push_back({program.states_out[i].spec.name, TensorRole::kState, memory.state_types[i]});
  }
  return specs;
}

// What the host said of the results. A worker that lists what is no list has been tampered with.
Result<void> ProgramCalls::list_launches(const CallMemory& memory, CandidateOutcome& outcome) {
  if (session_.launches() == nullptr) {
    return {};
  }
  STITCH_ASSIGN(const wire::Answer answer, session_.ask("launches", Json::object()));
  if (answer.json().is_object() && answer.json().contains("launches") && answer.json()["launches"].is_null()) {
    return {};
  }
  const Result<std::vector<wire::Region>> said = wire::regions_from_json(answer.json(), "said");
  if (!said.has_value()) {
    return session_.fail(Ending::kTampered, said.error().message);
  }
  const Result<int64_t> told = json_int(answer.json(), "told");
  if (!told.has_value() || *told < 0) {
    return session_.fail(Ending::kTampered, "the program wrote into its worker's channel");
  }
  outcome.told = static_cast<uint64_t>(*told);
  for (const wire::Region& region : *said) {
    const bool is_there = region.block < memory.results.regions.size() &&
                          region.offset <= memory.results.regions[region.block].bytes &&
                          region.bytes <= memory.results.regions[region.block].bytes - region.offset;
    if (!is_there) {
      return session_.fail(Ending::kTampered, "the program wrote into its worker's channel");
    }
    outcome.said.push_back({static_cast<size_t>(region.block), region.offset, region.bytes});
  }
  Result<std::vector<LaunchRecord>> records = launch_records_from_json(answer.json(), "launches");
  if (!records.has_value()) {
    return session_.fail(Ending::kTampered, records.error().message);
  }
  session_.launches()->keep(std::move(*records));
  return {};
}

// Copies of them, and the places of those that stay.
Result<std::vector<HostTensor>> ProgramCalls::results_of(const CallMemory& memory, const std::vector<bool>& staying) {
  const std::vector<TensorSpec> specs = result_specs(memory);
  std::vector<wire::Region> copied;
  std::vector<TensorSpec> copied_specs;
  const auto stays = [&](size_t i) { return i < staying.size() && staying[i]; };
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!stays(i)) {
      copied.push_back(memory.results.regions.at(i));
      copied_specs.push_back(specs[i]);
    }
  }
  STITCH_ASSIGN(const std::vector<HostTensor> copies, session_.keeper().snapshot(copied, copied_specs));
  std::vector<HostTensor> results;
  auto next = copies.begin();
  for (size_t i = 0; i < specs.size(); ++i) {
    results.push_back(stays(i) ? HostTensor::at_place(specs[i], session_.place_of(memory.results.regions.at(i)))
                               : *next++);
  }
  return results;
}

Result<CandidateOutcome> ProgramCalls::take_results(const CallMemory& memory, const std::vector<bool>& staying,
                                                    std::vector<int64_t> digests) {
  STITCH_ASSIGN(std::vector<HostTensor> results, results_of(memory, staying));
  STITCH_TRY(settled_.watch(session_, memory.results.regions, std::move(digests)));
  CandidateOutcome outcome;
  const auto first_state = results.begin() + static_cast<int64_t>(session_.description()->outputs.size());
  outcome.states.assign(first_state, results.end());
  outcome.outputs.assign(results.begin(), first_state);
  const bool any_stays = std::find(staying.begin(), staying.end(), true) != staying.end();
  const bool are_kept = !any_stays && bytes_of(outcome.outputs) <= kMaxKeptBytes;
  last_outputs_ = are_kept ? outcome.outputs : std::vector<HostTensor>{};
  return outcome;
}

Result<CandidateOutcome> ProgramCalls::run(const CandidateCall& call) {
  STITCH_TRY(make_ready());
  STITCH_TRY(place_call(call, memory_));
  ConstantMemory prepared = prepared_constants();
  STITCH_TRY(prepared.remember(session_));
  // It is asked what it needs before the contents are there: its answer is not part of the call.
  STITCH_TRY(place_workspace(memory_));
  STITCH_TRY(fill_call(call, memory_));
  STITCH_ASSIGN(KeeperClient::Stopped stopped,
                ask_timed("run", run_request(call), call_constants(memory_), prepared, memory_.results.regions));
  CandidateOutcome listed;
  if (runs_wholly(call.trial)) {
    STITCH_TRY(list_launches(memory_, listed));
  }
  STITCH_ASSIGN(CandidateOutcome outcome, take_results(memory_, call.staying, std::move(stopped.digests)));
  if (std::find(call.staying.begin(), call.staying.end(), true) == call.staying.end()) {
    settled_.keep_by_chance(session_, memory_.results);
  }
  outcome.elapsed_us = stopped.elapsed_us;
  outcome.said = std::move(listed.said);
  outcome.told = listed.told;
  return outcome;
}

// Inputs and results are where the call had them; the next one has its own again, and parameters are given back.
Result<CandidateOutcome> ProgramCalls::again(const ContentsAgain& contents) {
  STITCH_TRY(make_ready());
  if (memory_.results.regions.empty()) {
    return CandidateOutcome{};  // they are kept, to be looked at later
  }
  STITCH_TRY(session_.keeper().poison(memory_.results.regions));
  std::vector<HostTensor> given(contents.inputs.begin(), contents.inputs.end());
  given.insert(given.end(), contents.states.begin(), contents.states.end());
  STITCH_TRY(session_.keeper().fill(memory_.inputs.regions, given));
  for (size_t i = 0; i < contents.states.size(); ++i) {
    if (memory_.replaced_by.at(i) >= 0) {
      STITCH_TRY(session_.keeper().fill({memory_.old_state(i)}, contents.states.subspan(i, 1)));
    }
  }
  STITCH_TRY(session_.keeper().fill(parameter_memory_.regions, contents.parameters));
  STITCH_ASSIGN(const wire::Answer answer, session_.ask("again", {{"as_before", contents.as_before}}));
  STITCH_TRY(session_.keeper().fill(parameter_memory_.regions, parameters_));
  const Result<bool> is_done = json_bool(answer.json(), "done");
  if (!is_done.has_value()) {
    return session_.fail(Ending::kTampered, "the program wrote into its worker's channel");
  }
  CandidateOutcome outcome;
  if (*is_done) {
    STITCH_ASSIGN(std::vector<HostTensor> results, results_of(memory_, {}));
    const auto first_state = results.begin() + static_cast<int64_t>(session_.description()->outputs.size());
    outcome.states.assign(first_state, results.end());
    outcome.outputs.assign(results.begin(), first_state);
  }
  return outcome;
}

Result<CandidateOutcome> ProgramCalls::rest() {
  STITCH_TRY(make_ready());  // looks once more whether the last call's results are what they were
  STITCH_TRY(settled_.end_keeping(session_));
  for (MemoryGroup* group : {&memory_.inputs, &memory_.results, &workspace_}) {
    STITCH_TRY(session_.release(*group));
  }
  return CandidateOutcome{};
}

}  // namespace stitch::evaluate
