// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "kernels/template/device_limits.h"

namespace stitch::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 verified or done; 1 not verified; 2 usage; 3 the program cannot be taken; "
    "4 the environment lacks something; 5 internal error; 130 interrupted.";

const std::map<std::string, DeviceChoice> kDevices = {
    {"auto", DeviceChoice::kAuto}, {"gpu", DeviceChoice::kGpu}, {"emulated", DeviceChoice::kEmulated}};
const std::map<std::string, ScaleChoice> kScales = {
    {"auto", ScaleChoice::kAuto}, {"full", ScaleChoice::kFull}, {"small", ScaleChoice::kSmall}};
const std::map<std::string, MathMode> kMathModes = {{"fp32", MathMode::kFp32},
                                                    {"kernelbench", MathMode::kKernelBench},
                                                    {"tf32", MathMode::kTf32},
                                                    {"reduced", MathMode::kReduced}};

const std::map<std::string, plan::Libraries> kLibraries = {
    {"auto", plan::Libraries::kMeasured}, {"on", plan::Libraries::kOn}, {"off", plan::Libraries::kOff}};

void add_common(CLI::App* verb, CommandLine* line) {
  verb->add_flag("--json", line->json, "Print one JSON object on stdout");
  verb->add_flag("--quiet", line->quiet, "No progress lines");
  verb->add_flag("--debug", line->debug, "Add the stack trace to an error of the user's program");
}

void add_mode(CLI::App* verb, CommandLine* line) {
  CLI::Option* train = verb->add_flag_callback(
      "--train", [line] { line->mode = "train"; }, "Train mode");
  verb->add_flag_callback(
          "--eval", [line] { line->mode = "eval"; }, "Eval mode")
      ->excludes(train);
}

void add_device(CLI::App* verb, CommandLine* line) {
  verb->add_option("--device", line->device, "auto, gpu or emulated")
      ->transform(CLI::CheckedTransformer(kDevices).description("auto|gpu|emulated"));
}

void add_math(CLI::App* verb, CommandLine* line) {
  verb->add_option("--math", line->math, "Arithmetic that is allowed: fp32, kernelbench, tf32 or reduced")
      ->transform(CLI::CheckedTransformer(kMathModes).description("fp32|kernelbench|tf32|reduced"));
}

void add_libraries(CLI::App* verb, CommandLine* line) {
  verb->add_option("--libraries", line->libraries,
                   "cuBLASLt and cuDNN beside our own kernels: auto (where measured to be faster), on or off")
      ->transform(CLI::CheckedTransformer(kLibraries).description("auto|on|off"));
}

void add_tuning(CLI::App* verb, CommandLine* line) {
  verb->add_option("--tune-seconds", line->tune_seconds, "Budget for timing settings on the GPU")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--tuning-database", line->tuning_database, "File of measured times (default: in the cache)");
}

void add_scale(CLI::App* verb, CommandLine* line) {
  verb->add_option("--scale", line->scale, "Sizes to verify at: auto, full or small")
      ->transform(CLI::CheckedTransformer(kScales).description("auto|full|small"));
}

void add_target(CLI::App* verb, CommandLine* line) {
  std::vector<std::string> known;
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    if (std::find(known.begin(), known.end(), device.architecture) == known.end()) {
      known.push_back(device.architecture);
    }
  }
  verb->add_option("--target", line->targets, "GPU architectures, as sm_80,sm_90a; the first one is planned for")
      ->delimiter(',')
      ->check(CLI::IsMember(known));
}

void add_gpu_build(CLI::App* verb, CommandLine* line) {
  add_target(verb, line);
  verb->add_flag("--lineinfo", line->line_info, "GPU: keep line numbers for profilers");
  verb->add_flag("--nvtx", line->nvtx, "GPU: an NVTX range around each step, named after it");
}

void add_file(CLI::App* verb, CommandLine* line, const char* what) {
  verb->add_option("file", line->file, what)->required();
}

void add_weights(CLI::App* verb, CommandLine* line) {
  verb->add_option("--weights", line->weights, "State dict for the module: FILE.safetensors, .pt or .pth");
}

void add_out(CLI::App* verb, CommandLine* line, const char* what) { verb->add_option("--out", line->out, what); }

void add_stage_verbs(CLI::App* app, CommandLine* line) {
  CLI::App* import = app->add_subcommand("import", "PyTorch program to graph (graph.ir)");
  add_file(import, line, "FILE.py, or FILE.py:Name of a class or function");
  add_out(import, line, "Graph file to write (default: standard output)");
  add_mode(import, line);
  add_weights(import, line);
  add_scale(import, line);

  CLI::App* plan = app->add_subcommand("plan", "Graph to kernel-sized steps (plan.json)");
  add_file(plan, line, "graph.ir, as import writes it");
  add_out(plan, line, "Plan file to write (default: standard output)");
  add_math(plan, line);
  add_libraries(plan, line);
  add_target(plan, line);

  CLI::App* emit = app->add_subcommand("emit", "Plan to CUDA sources: a standalone CMake project");
  add_file(emit, line, "plan.json, as plan writes it");
  add_out(emit, line, "Folder to write (default: out/NAME)");
  emit->add_option("--program", line->program, "The PyTorch program: write its Python forms too");
  add_target(emit, line);

  CLI::App* build = app->add_subcommand("build", "Sources to a library for a device");
  add_file(build, line, "Folder, as emit writes it");
  add_out(build, line, "Library to write (default: left in the cache)");
  add_device(build, line);
  add_gpu_build(build, line);
  for (CLI::App* verb : {import, plan, emit, build}) {
    add_common(verb, line);
  }
}

void add_judging_verbs(CLI::App* app, CommandLine* line) {
  CLI::App* verify = app->add_subcommand("verify", "Judge a program of ours, or a candidate against a PyTorch program");
  verify->add_option("folder", line->file, "Folder that optimize wrote");
  verify->add_option("--candidate", line->candidate, "Folder of sources to judge")
      ->needs(verify->add_option("--program", line->program, "The PyTorch program it stands for"));
  verify->add_option("--step", line->step, "Judge one step alone")->check(CLI::NonNegativeNumber);
  verify->add_option("--seed", line->seed, "Seed of the drawn inputs");
  add_device(verify, line);
  add_gpu_build(verify, line);
  add_math(verify, line);
  add_scale(verify, line);
  add_mode(verify, line);
  add_common(verify, line);

  CLI::App* profile = app->add_subcommand("profile", "What each step costs: counted work, or measured on a GPU");
  add_file(profile, line, "Folder that optimize wrote");
  profile->add_option("--step", line->step, "One step alone")->check(CLI::NonNegativeNumber);
  add_device(profile, line);
  add_gpu_build(profile, line);
  add_common(profile, line);

  CLI::App* optimize = app->add_subcommand("optimize", "PyTorch program in, verified CUDA program out");
  add_file(optimize, line, "FILE.py, or FILE.py:Name of a class or function");
  add_out(optimize, line, "Folder to write (default: out/NAME)");
  optimize->add_option("--seed", line->seed, "Seed of the drawn inputs");
  add_libraries(optimize, line);
  optimize->add_flag("--no-tune", line->no_tune, "Choose settings by estimate, also where a GPU could time them");
  add_tuning(optimize, line);
  add_device(optimize, line);
  add_gpu_build(optimize, line);
  add_math(optimize, line);
  add_scale(optimize, line);
  add_mode(optimize, line);
  add_weights(optimize, line);
  optimize->add_flag("--skip-nvcc", line->skip_nvcc, "Emulated device: do not compile for a GPU as well");
  add_common(optimize, line);

  CLI::App* tune = app->add_subcommand("tune", "Time the settings of a program's steps on the GPU, and keep the times");
  add_file(tune, line, "FILE.py, or FILE.py:Name of a class or function");
  add_math(tune, line);
  add_mode(tune, line);
  add_libraries(tune, line);
  add_tuning(tune, line);
  add_common(tune, line);

  add_common(app->add_subcommand("doctor", "What is here, what is missing, and what mends it"), line);
}

// FILE.py:Name -> FILE.py and Name; a colon inside a folder's name stays where it is.
void split_target(CommandLine* line, std::string* file) {
  const size_t colon = file->rfind(".py:");
  if (colon != std::string::npos) {
    line->target = file->substr(colon + 4);
    file->resize(colon + 3);
  }
}

Result<CommandLine> checked(CommandLine line) {
  split_target(&line, &line.file);
  split_target(&line, &line.program);
  if (line.verb == "verify" && line.file.empty() == line.candidate.empty()) {
    return failure(ErrorCode::kUsage, "verify takes either a folder or --candidate DIR --program FILE", "",
                   "see 'stitchcuda verify --help'");
  }
  if (line.verb == "verify" && !line.candidate.empty() && line.program.empty()) {
    return failure(ErrorCode::kUsage, "--candidate needs --program FILE", "", "see 'stitchcuda verify --help'");
  }
  return line;
}

// As they were written: what CLI11 keeps of a choice is the number that it stands for.
std::map<std::string, std::string> given_options(const CLI::App& verb, const std::vector<std::string>& command) {
  std::map<std::string, std::string> given;
  for (size_t i = 1; i < command.size(); ++i) {
    const size_t end = std::min(command[i].find('='), command[i].size());
    const CLI::Option* option =
        command[i].starts_with("--") ? verb.get_option_no_throw(command[i].substr(0, end)) : nullptr;
    if (option == nullptr) {
      continue;
    }
    const std::string name = option->get_single_name();
    if (end < command[i].size()) {
      given[name] = command[i].substr(end + 1);
    } else if (option->get_items_expected_max() > 0 && i + 1 < command.size()) {
      given[name] = command[++i];
    } else {
      given[name] = "true";
    }
  }
  return given;
}

}  // namespace

Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  CLI::App app("stitchcuda: a PyTorch program in, a verified and faster CUDA program out.", "stitchcuda");
  app.footer(kExitCodes);
  app.require_subcommand(1);
  app.set_version_flag("--version", "stitchcuda 0.1.0");
  add_stage_verbs(&app, &line);
  add_judging_verbs(&app, &line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    CLI::App* verb = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    line.help = verb->help();
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.help = std::string(version.what()) + "\n";
    return line;
  } catch (const CLI::Error& error) {
    const std::string verb = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
    return failure(ErrorCode::kUsage, error.what(), "", "see 'stitchcuda" + verb + " --help'");
  }
  line.verb = app.get_subcommands().front()->get_name();
  line.command.assign(argv, argv + argc);
  line.given = given_options(*app.get_subcommands().front(), line.command);
  return checked(std::move(line));
}

}  // namespace stitch::cli
