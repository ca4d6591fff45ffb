// SPDX-License-Identifier: Apache-2.0
#include "cli/options/shared_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>

#include "base/seed/seed.h"
#include "cli/options/byte_size.h"
#include "cli/options/command_line.h"
#include "cli/options/nearest.h"
#include "kernels/template/device_limits.h"

namespace stitch::cli {
namespace {

template <typename T>
using Choices = std::vector<std::pair<const char*, T>>;

const Choices<DeviceChoice> kDevices = {
    {"auto", DeviceChoice::kAuto}, {"gpu", DeviceChoice::kGpu}, {"emulated", DeviceChoice::kEmulated}};
const Choices<ScaleChoice> kScales = {
    {"auto", ScaleChoice::kAuto}, {"full", ScaleChoice::kFull}, {"small", ScaleChoice::kSmall}};
const Choices<MathMode> kMathModes = {{"fp32", MathMode::kFp32},
                                      {"kernelbench", MathMode::kKernelBench},
                                      {"tf32", MathMode::kTf32},
                                      {"reduced", MathMode::kReduced}};
const Choices<plan::Libraries> kLibraries = {
    {"auto", plan::Libraries::kAuto}, {"on", plan::Libraries::kOn}, {"off", plan::Libraries::kOff}};

const Choices<ColorChoice> kColors = {
    {"auto", ColorChoice::kAuto}, {"always", ColorChoice::kAlways}, {"never", ColorChoice::kNever}};

// Takes one of `names`; CLI11 puts the option's name before what it says.
CLI::Validator one_of(const std::vector<std::string>& names) {
  return CLI::Validator(
      [names](std::string& given) -> std::string {
        if (std::find(names.begin(), names.end(), given) != names.end()) {
          return {};
        }
        return fmt::format("'{}' is none of {}{}", given, fmt::join(names, ", "), did_you_mean(given, names));
      },
      "");
}

bool is_whole_number(const std::string& given) {
  return !given.empty() && given.size() < 20 &&
         std::all_of(given.begin(), given.end(), [](char digit) { return digit >= '0' && digit <= '9'; });
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& given) -> std::string {
        return is_whole_number(given) ? "" : fmt::format("'{}' is no whole number from 0 on", given);
      },
      "");
}

// Larger ones would not come back from evidence/seeds.json as they went in.
CLI::Validator seed_number() {
  return CLI::Validator(
      [](std::string& given) -> std::string {
        const bool fits = is_whole_number(given) && std::stoull(given) <= kLargestSeed;
        return fits ? "" : fmt::format("'{}' is no whole number from 0 to {}", given, kLargestSeed);
      },
      "");
}

// A count of seconds, with or without a fraction.
CLI::Validator seconds() {
  return CLI::Validator(
      [](std::string& given) -> std::string {
        double value = -1;
        const bool fits = CLI::detail::lexical_cast(given, value) && value >= 0;
        return fits ? "" : fmt::format("'{}' is no number of seconds", given);
      },
      "");
}

template <typename T>
CLI::Option* add_choice_of(CLI::App* verb, const char* name, const Choices<T>& choices, T* field, const char* text) {
  std::vector<std::string> names;
  for (const auto& choice : choices) {
    names.emplace_back(choice.first);
  }
  return add_choice(verb, name, names, [&choices, field](size_t chosen) { *field = choices[chosen].second; }, text);
}

}  // namespace

CLI::Option* add_choice(CLI::App* verb, const char* name, const std::vector<std::string>& names,
                        const std::function<void(size_t)>& take, const char* text) {
  return verb
      ->add_option_function<std::string>(
          name,
          [names, take](const std::string& given) {
            take(static_cast<size_t>(std::find(names.begin(), names.end(), given) - names.begin()));
          },
          text)
      ->check(one_of(names))
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

void add_color(CLI::App* verb, CommandLine* line) {
  add_choice_of(verb, "--color", kColors, &line->color, "Colours (default: auto, on a terminal and without NO_COLOR)")
      ->group(kOutputGroup);
}

void add_no_time(CLI::App* verb, CommandLine* line) {
  verb->add_flag("--no-time", line->no_time, "On a GPU: a verdict without times, which waits for no other's timing")
      ->group(kTuningGroup);
}

void add_common(CLI::App* verb, CommandLine* line) {
  verb->add_flag("--json", line->json, "Print one JSON object on stdout")->group(kOutputGroup);
  verb->add_flag("--quiet", line->quiet, "No progress lines")->group(kOutputGroup);
  add_color(verb, line);
  verb->add_flag("--debug", line->debug, "Add the stack trace to an error of your program")->group(kOutputGroup);
}

void add_cache_size(CLI::App* verb, CommandLine* line) {
  const auto problem = [](std::string& given) -> std::string {
    const Result<uint64_t> bytes = parse_bytes(given);
    return bytes.has_value() ? "" : fmt::format("{}: {}", bytes.error().message, bytes.error().remedy);
  };
  verb->add_option("--cache-size", line->cache_size,
                   "The most that compiled files may take, as 500M or 4G (default: STITCHCUDA_CACHE_SIZE, or 4G)")
      ->check(CLI::Validator(problem, ""))
      ->type_name("SIZE")
      ->group(kOutputGroup);
}

void add_mode(CLI::App* verb, CommandLine* line) {
  CLI::Option* train = verb->add_flag_callback(
      "--train", [line] { line->mode = "train"; }, "Train mode (default: as the file leaves its module)");
  train->group(kProgramGroup);
  verb->add_flag_callback(
          "--eval", [line] { line->mode = "eval"; }, "Eval mode")
      ->excludes(train)
      ->group(kProgramGroup);
}

void add_import_timeout(CLI::App* verb, CommandLine* line) {
  verb->add_option("--import-timeout", line->import_timeout_seconds,
                   "How long the program's file, constructor and forward may take, traced once (default: 120)")
      ->type_name("SECONDS")
      ->check(seconds())
      ->check(CLI::PositiveNumber)
      ->group(kProgramGroup);
}

void add_device(CLI::App* verb, CommandLine* line) {
  add_choice_of(verb, "--device", kDevices, &line->device,
                "Where programs run (default: auto, a GPU where there is one and nvcc)")
      ->group(kDeviceGroup);
  verb->add_flag("--unsafe-no-sandbox", line->without_cage,
                 "Compile and run candidates without a cage: they can do whatever you can")
      ->group(kDeviceGroup);
}

void add_math(CLI::App* verb, CommandLine* line) {
  add_choice_of(verb, "--math", kMathModes, &line->math, "Arithmetic that is allowed (default: fp32)")
      ->group(kPlanGroup);
}

void add_libraries(CLI::App* verb, CommandLine* line) {
  add_choice_of(verb, "--libraries", kLibraries, &line->libraries,
                "cuBLASLt and cuDNN beside our own kernels (default: auto, where faster as measured or estimated)")
      ->group(kPlanGroup);
}

void add_tuning(CLI::App* verb, CommandLine* line) {
  verb->add_option("--tune-seconds", line->tune_seconds, "Budget for timing settings on the GPU (default: 60)")
      ->check(seconds())
      ->type_name("SECONDS")
      ->group(kTuningGroup);
  verb->add_option("--tuning-database", line->tuning_database, "Measured times (default: in the cache)")
      ->type_name("FILE")
      ->group(kTuningGroup);
}

void add_baseline(CLI::App* verb, CommandLine* line) {
  const std::vector<std::string> names = {"eager", "compile", "graph", "off"};
  add_choice(
      verb, "--baseline", names, [names, line](size_t chosen) { line->baseline = names[chosen]; },
      "The program in PyTorch, timed in turns with ours (default: eager on a GPU; compile: torch.compile, graph: one "
      "CUDA graph)")
      ->group(kTuningGroup);
}

void add_scale(CLI::App* verb, CommandLine* line) {
  add_choice_of(verb, "--scale", kScales, &line->scale,
                "Sizes to verify at (default: auto, reduced ones where the emulated device needs them)")
      ->group(kVerdictGroup);
}

void add_refinement(CLI::App* verb, CommandLine* line) {
  add_choice(
      verb, "--skill", {"scratch", "refinement"},
      [line](size_t chosen) { line->skill = chosen == 0 ? "scratch" : "refinement"; },
      "What was asked of its author (default: refinement where --feedback is given)")
      ->group(kRubricGroup);
  verb->add_option("--feedback", line->feedback, "What a refinement was asked to do, as text")
      ->type_name("FILE")
      ->group(kRubricGroup);
  verb->add_option("--previous", line->previous, "The sources that were refined, to compare")
      ->type_name("DIR")
      ->group(kRubricGroup);
}

void add_seed(CLI::App* verb, CommandLine* line, const char* text) {
  verb->add_option("--seed", line->seed, text)->check(seed_number())->type_name("N")->group(kVerdictGroup);
}

void add_step(CLI::App* verb, CommandLine* line, const char* text) {
  verb->add_option("--step", line->step, text)->check(whole_number())->type_name("N")->group(kVerdictGroup);
}

void add_team(CLI::App* verb, CommandLine* line) {
  CLI::Option* llm = verb->add_flag("--llm", line->asks_roles, "Ask each role of a team, and look at nothing else");
  llm->group(kModelGroup);
  verb->add_option("--team", line->team,
                   "The team of stitchcuda.toml (default: the one called default, or the only one)")
      ->type_name("NAME")
      ->needs(llm)
      ->group(kModelGroup);
  verb->add_option("--config", line->config,
                   "Endpoints and teams (default: $STITCHCUDA_CONFIG, else ~/.config/stitchcuda/stitchcuda.toml)")
      ->type_name("FILE.toml")
      ->needs(llm)
      ->group(kModelGroup);
}

void add_probe_seconds(CLI::App* verb, CommandLine* line) {
  verb->add_option("--probe-seconds", line->probe_seconds, "How long each program that is asked may take (default: 60)")
      ->check(seconds())
      ->type_name("SECONDS")
      ->group(kProbeGroup);
}

void add_target(CLI::App* verb, CommandLine* line) {
  std::vector<std::string> known;
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    if (std::find(known.begin(), known.end(), device.architecture) == known.end()) {
      known.push_back(device.architecture);
    }
  }
  verb->add_option("--target", line->targets,
                   "GPU architectures, with commas between; the first one is planned for (default: the GPU here)")
      ->delimiter(',')
      ->check(one_of(known))
      ->type_name(fmt::format("{}", fmt::join(known, "|")))
      ->group(kDeviceGroup);
}

void add_gpu_build(CLI::App* verb, CommandLine* line) {
  add_target(verb, line);
  verb->add_flag("--lineinfo", line->line_info, "GPU: keep line numbers for profilers")->group(kDeviceGroup);
  verb->add_flag("--nvtx", line->nvtx, "GPU: an NVTX range around each step, named after it")->group(kDeviceGroup);
}

void add_weights(CLI::App* verb, CommandLine* line) {
  verb->add_option("--weights", line->weights, "State dict for the module: .safetensors, .pt or .pth")
      ->type_name("FILE")
      ->group(kProgramGroup);
}

CLI::Option* add_file(CLI::App* verb, CommandLine* line, const char* value, const char* text) {
  return verb->add_option("file", line->file, text)->type_name(value);
}

void add_program_file(CLI::App* verb, CommandLine* line) {
  add_file(verb, line, "FILE.py[:Name]", "The PyTorch program; Name: a class or function of it (default: Model)")
      ->required();
}

void add_out(CLI::App* verb, CommandLine* line, const char* value, const char* text) {
  verb->add_option("--out", line->out, text)->type_name(value)->group(kOutputGroup);
}

}  // namespace stitch::cli
