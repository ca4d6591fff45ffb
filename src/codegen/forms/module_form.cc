// SPDX-License-Identifier: Apache-2.0
// model_new.py and the Python package beside it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/fs/files.h"
#include "codegen/forms/python_forms.h"
#include "codegen/forms/python_text.h"
#include "codegen/forms/template_text.h"

namespace stitch::codegen {
namespace {

namespace fs = std::filesystem;
using Kind = PythonReference::Kind;

constexpr const char* kPackage = "python/stitchcuda_runtime";
constexpr const char* kHostSources[] = {"host/host_layer.cc", "include/stitch_host.h"};

std::string bases(const PythonReference& reference) {
  switch (reference.kind) {
    case Kind::kClass:
      return fmt::format("_stitchcuda.ProgramModule, {}", reference.target);
    case Kind::kInstance:
      return fmt::format("_stitchcuda.ProgramModule, type({})", reference.target);
    default:
      return "_stitchcuda.ProgramModule";
  }
}

std::string reference_forward(const PythonReference& reference) {
  return reference.kind == Kind::kFunction
             ? fmt::format("staticmethod({})", reference.target)
             : fmt::format("{}.forward", reference.kind == Kind::kClass ? reference.target
                                                                        : fmt::format("type({})", reference.target));
}

std::string constructor(const PythonReference& reference) {
  if (reference.kind == Kind::kFunction) {
    return "    def __init__(self):\n        super().__init__()\n        _stitchcuda.finish(self)\n";
  }
  if (reference.kind == Kind::kInstance) {
    return fmt::format(
        "    def __init__(self):\n        import copy\n\n        self.__dict__.update(copy.deepcopy({}).__dict__)\n"
        "        _stitchcuda.finish(self)\n",
        reference.target);
  }
  return fmt::format(
      "    def __init__(self, *arguments, **keywords):\n"
      "        made_for = globals().get(\"get_init_inputs\")\n"
      "        _stitchcuda.check_constructor({}, (arguments, keywords), made_for)\n"
      "        super().__init__(*arguments, **keywords)\n"
      "        _stitchcuda.finish(self)\n",
      reference.target);
}

Result<void> add_package(const std::string& runtime_folder, std::map<std::string, std::string>& files) {
  std::error_code error;
  const fs::path folder = fs::path(runtime_folder) / kPackage;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".py") {
      STITCH_ASSIGN(const std::string text, read_file(entry.path()));
      files[fmt::format("runtime/{}/{}", kPackage, entry.path().filename().string())] = text;
    }
  }
  if (error) {
    return failure(ErrorCode::kEnvironment, fmt::format("{} cannot be read: {}", folder.string(), error.message()));
  }
  for (const char* name : kHostSources) {
    STITCH_ASSIGN(const std::string text, read_file(fs::path(runtime_folder) / name));
    files[fmt::format("runtime/{}", name)] = text;
  }
  return {};
}

}  // namespace

Result<std::map<std::string, std::string>> module_form(const SourceBundle& bundle, const PythonReference& reference,
                                                       const PythonFormOptions& options) {
  const Fillings fillings = {{"NAME", bundle.name},
                             {"SOURCE", reference.source},
                             {"BASES", bases(reference)},
                             {"TARGET", reference.target},
                             {"TAKES", reference.takes},
                             {"RETURNS", reference.returns},
                             {"MODES", python_modes(reference.modes)},
                             {"BOTH_MODES", python_bool(reference.both_modes)},
                             {"RANDOM", python_bool(reference.random)},
                             {"CONSTANTS", python_constants(reference.constants)},
                             {"REFERENCE", reference_forward(reference)},
                             {"CONSTRUCTOR", constructor(reference)}};
  std::map<std::string, std::string> files;
  STITCH_ASSIGN(files["model_new.py"], filled_template(options.runtime_folder, "model_new.py.in", fillings));
  STITCH_TRY(add_package(options.runtime_folder, files));
  return files;
}

}  // namespace stitch::codegen
