// SPDX-License-Identifier: Apache-2.0
// What the user asked for, parsed and checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "base/error/result.h"
#include "cli/options/agent_options.h"
#include "cli/options/bench_options.h"
#include "cli/options/serve_options.h"
#include "cli/options/synth_options.h"
#include "cli/options/work_options.h"
#include "cli/output/style.h"
#include "driver/job/options.h"
#include "plan/plan.h"

namespace stitch::cli {

using driver::DeviceChoice;
using driver::ScaleChoice;

struct CommandLine {
  std::vector<std::string> command;          // as it was given
  std::map<std::string, std::string> given;  // options that were given: "math" -> "tf32"
  std::string verb;                          // "optimize", "verify" ...
  std::string action;                        // the verb below it, as "list" of "runs"; mostly empty
  std::string file;                          // the program, or the previous stage's file or folder
  std::string target;                        // the class or function of FILE:NAME; empty: Model
  std::string out;                           // empty: the verb's default
  std::string candidate;                     // verify: a folder of sources, or a library, to judge against --program
  bool public_check = false;                 // verify: what the author may see of what is wrong, in place of a verdict
  bool admitted_only = false;                // verify --candidate: no verdict on a task that takes null candidates
  bool with_score = false;                   // verify --candidate: marks of a right one, too
  std::string feedback;                      // score: what a refinement was asked to do, a file
  std::string previous;                      // score: the sources that were refined
  std::string skill;                         // score: "scratch", "refinement"; empty: by --feedback
  std::string rubric = "v3";                 // score: a frozen version, or "judge" alone
  std::string judge_url;                     // score: an endpoint of the form of OpenAI's; empty: no judge
  std::string judge_model = "judge";         // score: the model to ask there
  std::string program;                       // verify, emit: the PyTorch program
  std::string weights;                       // a state dict to put into the module; empty: what its constructor makes
  DeviceChoice device = DeviceChoice::kAuto;
  ScaleChoice scale = ScaleChoice::kAuto;
  MathMode math = MathMode::kFp32;
  plan::Libraries libraries = plan::Libraries::kAuto;
  std::string baseline;                         // optimize: "eager", "compile", "graph", "off"; empty: eager on a GPU
  bool no_tune = false;                         // choose settings by estimate alone
  bool no_time = false;                         // on a GPU: a verdict without times
  double tune_seconds = 60;                     // no timing of a setting begins after it
  std::string tuning_database;                  // empty: in the cache
  std::string mode = "as-is";                   // "train", "eval", or as the file leaves its module
  double import_timeout_seconds = 120;          // for running the program's file, its constructor and forward, once
  std::optional<int> step;                      // verify: one step alone
  double call_timeout_seconds = 120;            // verify: for one call of a candidate
  std::optional<double> total_timeout_seconds;  // verify: for all calls of one from outside; empty: by the time of one
  std::optional<uint64_t> seed;                 // empty: drawn by chance for the request
  bool without_cage = false;                    // candidates run and are compiled without a cage, limits apart
  bool json = false;
  bool quiet = false;
  bool debug = false;
  ColorChoice color = ColorChoice::kAuto;
  std::string cache_size;             // the most that the cache may hold, "4G"; empty: as STITCHCUDA_CACHE_SIZE says
  std::vector<std::string> targets;   // GPU architectures to plan and build for; empty: the one here, or the default
  bool line_info = false;             // nvcc keeps line numbers for profilers
  bool nvtx = false;                  // a named NVTX range around each step
  bool skip_nvcc = false;             // optimize for the emulated device: leave out the compilation for a GPU
  double probe_seconds = 60;          // doctor: how long each program that is asked may take
  bool asks_roles = false;            // doctor: asks the roles of a team instead of looking at this machine
  std::string team;                   // of stitchcuda.toml; empty: the one called default, or the only one
  std::string config;                 // stitchcuda.toml; empty: where it is looked for
  AgentOptions agents;                // optimize: who plans, writes and reviews
  SynthOptions synth;                 // synth, decontaminate
  BenchOptions bench;                 // bench: which tasks, how many at once, within which limits
  ServeOptions serve;                 // serve: what may be asked, where, and who judges
  WorkOptions work;                   // work: which jobs, until when
  bool dry_run = false;               // train: check a recipe alone
  std::string goes_on;                // optimize: the run that goes on, as `runs resume` has found it
  std::optional<int64_t> from;        // runs resume: after how many events another run goes on in its place
  bool with_graph = false;            // runs show: the table of routes, with its visits
  bool ids_only = false;              // runs list: ids, one a line
  std::string where;                  // runs list: which (runs/query/condition.h); empty: all
  std::optional<int64_t> list_limit;  // runs list: at most so many
  bool with_folder = false;           // runs rm: the folder that the run wrote, too
  std::string error_log;              // docs search: a file of what a compiler or a run said; "-": stdin
  std::string bound;                  // docs search: "memory", "compute", "latency", "host"
  std::string step_kind;              // docs search: "gemm", "softmax" ...
  std::string dtype;                  // docs search: "f32" ...
  std::string architecture;           // docs search: "sm_90a" ...
  std::string rung;                   // profile: that profiler alone; empty: the best one that is here
  int limit = 8;                      // docs search: passages
  bool forget = false;                // docs index: the folders that are named leave the index
  bool accepts_licence = false;       // docs fetch: the licence was read before
  std::string mirror;                 // docs fetch: an address in place of NVIDIA's
  std::optional<int> http_port;       // mcp: on 127.0.0.1; empty: stdin and stdout
  std::string token_file;             // mcp --http: who may ask; empty: in the folder of state
  std::string root;                   // mcp: the only folder that its tools may use; empty: any
  double job_after_seconds = 30;      // mcp: when a call is answered with a job id
  std::vector<std::string> words;     // what a verb about stitchcuda itself takes: names of runs, a shell, a verb
  std::string help;                   // set when help or the version was asked for: print it and stop
};

// kUsage with a sentence for a command line that cannot be taken.
Result<CommandLine> parse_command_line(int argc, const char* const* argv);

}  // namespace stitch::cli
