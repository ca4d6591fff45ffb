// SPDX-License-Identifier: Apache-2.0
// Options that several verbs take, added the same way everywhere. The name of a value says what completes it: FILE…,
// DIR, or its words with | between them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stitch::cli {

struct CommandLine;

inline constexpr const char* kProgramGroup = "Program";
inline constexpr const char* kPlanGroup = "Plan";
inline constexpr const char* kVerdictGroup = "Verdict";
inline constexpr const char* kRubricGroup = "Rubric";
inline constexpr const char* kDeviceGroup = "Device";
inline constexpr const char* kTuningGroup = "Tuning";
inline constexpr const char* kProbeGroup = "Probes";
inline constexpr const char* kModelGroup = "Language models";
inline constexpr const char* kAgentGroup = "Coding agents";
inline constexpr const char* kOutputGroup = "Output";

void add_color(CLI::App* verb, CommandLine* line);
// --no-time
void add_no_time(CLI::App* verb, CommandLine* line);
void add_common(CLI::App* verb, CommandLine* line);
void add_mode(CLI::App* verb, CommandLine* line);
// --import-timeout
void add_import_timeout(CLI::App* verb, CommandLine* line);
void add_device(CLI::App* verb, CommandLine* line);
void add_math(CLI::App* verb, CommandLine* line);
void add_libraries(CLI::App* verb, CommandLine* line);
void add_tuning(CLI::App* verb, CommandLine* line);
void add_baseline(CLI::App* verb, CommandLine* line);
void add_scale(CLI::App* verb, CommandLine* line);
// What a refinement is marked by: --skill, --feedback, --previous.
void add_refinement(CLI::App* verb, CommandLine* line);
void add_seed(CLI::App* verb, CommandLine* line,
              const char* text = "Repeat the draws of this seed (default: drawn by chance, told with the verdict)");
void add_probe_seconds(CLI::App* verb, CommandLine* line);
// --llm, --team, --config
void add_team(CLI::App* verb, CommandLine* line);
void add_step(CLI::App* verb, CommandLine* line, const char* text);
void add_target(CLI::App* verb, CommandLine* line);
// --target, --lineinfo, --nvtx
void add_gpu_build(CLI::App* verb, CommandLine* line);
// The most that the cache may hold.
void add_cache_size(CLI::App* verb, CommandLine* line);
void add_weights(CLI::App* verb, CommandLine* line);
// The one positional argument; `value` is FILE…, or DIR.
CLI::Option* add_file(CLI::App* verb, CommandLine* line, const char* value, const char* text);
void add_program_file(CLI::App* verb, CommandLine* line);
void add_out(CLI::App* verb, CommandLine* line, const char* value, const char* text);

// An option whose value is one of `names`; `take` is handed the index of the one that was chosen.
CLI::Option* add_choice(CLI::App* verb, const char* name, const std::vector<std::string>& names,
                        const std::function<void(size_t)>& take, const char* text);

}  // namespace stitch::cli
