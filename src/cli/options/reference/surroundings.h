// SPDX-License-Identifier: Apache-2.0
// What a person must know beside verbs and options: exit statuses, variables and files, as help and the manual say it.
#pragma once

#include <array>
#include <utility>

namespace stitch::cli {

inline constexpr const char* kVersion = "0.1.0";

inline constexpr const char* kDescription =
    "A PyTorch program goes in; a verified, faster, end-to-end CUDA program comes out. Without a GPU the emitted CUDA "
    "runs on an emulator, so that correctness is real and times are modelled, never measured. A program is a file with "
    "a class Model, get_inputs() and get_init_inputs(), as in KernelBench.";

using Row = std::pair<const char*, const char*>;

inline constexpr std::array<Row, 7> kExitStatuses = {
    {{"0", "verified, or done"},
     {"1", "not verified: the candidate is wrong, does not compile, crashes, or cannot be judged"},
     {"2", "the command line cannot be taken"},
     {"3", "the program or file cannot be taken: a mistake in it, or an operator that is not supported"},
     {"4", "the environment lacks something; stitchcuda doctor says what mends it"},
     {"5", "internal error"},
     {"130", "interrupted; repeating the command goes on from what was compiled"}}};

inline constexpr std::array<Row, 13> kEnvironment = {
    {{"STITCHCUDA_PYTHON", "The interpreter that has PyTorch (default: .venv beside us, else python3)"},
     {"STITCHCUDA_CACHE", "What is compiled, and measured times (default: ~/.cache/stitchcuda)"},
     {"STITCHCUDA_NODE", "Locks of GPUs, one for all who use them (default: stitchcuda.UID in the temporary folder)"},
     {"STITCHCUDA_STATE", "Records of runs (default: ~/.local/state/stitchcuda)"},
     {"STITCHCUDA_RESOURCES", "The folder with our python/, runtime/ and emulator/, if they lie apart"},
     {"STITCHCUDA_LIBEXEC", "The folder with our keeper and worker programs, if they lie apart"},
     {"STITCHCUDA_EMULATOR", "The emulator's folder, if it lies apart"},
     {"STITCHCUDA_UNSAFE_NO_SANDBOX", "1: as --unsafe-no-sandbox, for containers that allow no cage"},
     {"STITCHCUDA_CONFIG", "Endpoints and teams of language models (default: stitchcuda.toml as below)"},
     {"CUDA_HOME, CUDA_PATH", "The CUDA toolkit (default: nvcc in PATH, the virtual environment's, /usr/local/cuda)"},
     {"XDG_CACHE_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME",
      "The folders above those of the cache, the records, endpoints"},
     {"TMPDIR", "Temporary files"},
     {"NO_COLOR", "Set to anything: no colour, also on a terminal"}}};

inline constexpr std::array<Row, 5> kFiles = {
    {{"out/NAME", "What optimize leaves: sources, plan, graph, model_new.py, evidence"},
     {"~/.config/stitchcuda/stitchcuda.toml", "Endpoints and teams of language models; never a key"},
     {"~/.cache/stitchcuda", "Compiled objects and measured times; may be removed at any time"},
     {"~/.local/state/stitchcuda/runs", "One folder a run, as stitchcuda runs shows them"},
     {"~/.local/state/stitchcuda/knowledge", "The list of your folders of documents, and guides that you fetched"}}};

}  // namespace stitch::cli
