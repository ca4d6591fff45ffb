// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "base/json/json.h"
#include "base/json/shown.h"
#include "cli/doctor/examination.h"
#include "cli/doctor/mend.h"
#include "cli/doctor/probe.h"

namespace stitch::cli::doctor {
namespace {

constexpr const char* kPythonGroup = "PyTorch, which reads programs and computes what is right";
constexpr const char* kNoProgram = "Without it no program can be read, and no answer judged.";
constexpr const char* kWanted = "'torch>=2.6' numpy";

// Two lines, so that the first is known even when importing torch hangs or kills the interpreter.
constexpr const char* kScript = R"(
import json, os, sys, sysconfig
managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
own = sys.prefix != sys.base_prefix
print(json.dumps({"version": sys.version.split()[0], "program": sys.executable, "managed": managed and not own}),
      flush=True)
import torch
print(json.dumps({"version": torch.__version__, "cuda": torch.version.cuda, "place": list(torch.__path__)[0]}),
      flush=True)
)";

Json parsed(const std::vector<std::string>& lines, size_t index) {
  // Something else may print, too: a line counts from its end.
  const Json json = index < lines.size() ? Json::parse(lines[index], nullptr, false) : Json();
  return json.is_object() ? json : Json::object();
}

// The command that brings PyTorch to this interpreter, or to a new environment where this one may not be written to.
std::string bring_torch(const Examination& examination, const Json& python, const char* more) {
  const std::string tree = set_up(examination.resources);
  if (!tree.empty()) {
    return tree;
  }
  const Result<bool> is_managed = json_bool(python, "managed");
  if (is_managed.has_value() && *is_managed) {
    return fmt::format(
        "python3 -m venv ~/.venvs/stitchcuda && ~/.venvs/stitchcuda/bin/pip install {} && "
        "export STITCHCUDA_PYTHON=~/.venvs/stitchcuda/bin/python",
        kWanted);
  }
  const std::string program = shown_string(python, "program", examination.resources.python.string());
  return fmt::format("{} -m pip install {}{}", shell_word(program), more, kWanted);
}

bool is_recent(const std::string& version) {
  int major = 0;
  int minor = 0;
  return std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 && (major > 2 || (major == 2 && minor >= 6));
}

Finding interpreter(const Examination& examination, const Answer& answer, const Json& python) {
  const std::string program = examination.resources.python.string();
  if (!python.empty()) {
    const std::string place = shown_string(python, "program", program);
    return {kPythonGroup, "Python", State::kHere, fmt::format("{}, {}", shown_string(python, "version", "?"), place),
            "",           ""};
  }
  const std::string what = answer.is_there
                               ? fmt::format("{}: {}", program, answer.trouble(examination.probe_timeout_ms))
                               : fmt::format("{} is not there", program);
  return {kPythonGroup,    "Python",
          State::kMissing, what,
          kNoProgram,      install_packages("python3 python3-venv", "python3", "Install Python 3.10 or newer.")};
}

Finding torch_finding(const Examination& examination, const Answer& answer, const Json& python, const Json& torch) {
  if (torch.empty()) {
    const bool lacks_it = answer.errors.find("No module named 'torch'") != std::string::npos;
    return {kPythonGroup,
            "torch",
            State::kMissing,
            lacks_it ? "not installed for this interpreter"
                     : "importing it fails: " + answer.trouble(examination.probe_timeout_ms),
            kNoProgram,
            bring_torch(examination, python, lacks_it ? "" : "--force-reinstall ")};
  }
  const std::string version = shown_string(torch, "version", "?");
  const std::string cuda = shown_string(torch, "cuda", "");
  const std::string what = fmt::format("{}, built for {}, {}", version, cuda.empty() ? "the CPU" : "CUDA " + cuda,
                                       shown_string(torch, "place", "?"));
  if (!is_recent(version)) {
    return {kPythonGroup,
            "torch",
            State::kMissing,
            what,
            "2.6 or newer is needed to read programs.",
            bring_torch(examination, python, "--upgrade ")};
  }
  return {kPythonGroup, "torch", State::kHere, what, "", ""};
}

}  // namespace

std::vector<Finding> python_findings(const Examination& examination) {
  const Answer answer = ask({examination.resources.python.string(), "-c", kScript}, examination.probe_timeout_ms);
  const std::vector<std::string> lines = lines_of(answer.output);
  const Json python = parsed(lines, 0);
  std::vector<Finding> found = {interpreter(examination, answer, python)};
  if (!python.empty()) {
    found.push_back(torch_finding(examination, answer, python,
                                  lines.size() > 1 ? parsed(lines, lines.size() - 1) : Json::object()));
  }
  return found;
}

}  // namespace stitch::cli::doctor
