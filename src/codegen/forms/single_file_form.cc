// SPDX-License-Identifier: Apache-2.0
// kernelbench_solution.py: the whole program in one file.
#include <fmt/format.h>

#include "base/hash/sha256.h"
#include "codegen/forms/amalgamate.h"
#include "codegen/forms/python_forms.h"
#include "codegen/forms/python_text.h"
#include "codegen/forms/template_text.h"

namespace stitch::codegen {
namespace {

using Kind = PythonReference::Kind;

constexpr const char* kGraphCache = "runtime/host/graph_cache.cc";
constexpr const char* kBinding = "runtime/torch/binding.cc";
constexpr const char* kSteps = "steps/";
constexpr size_t kDigestDigits = 12;

// Steps and tables have file-local names that may meet in one file; the runtime's own have not.
std::string name_space_of(const std::string& unit) {
  if (unit == "program.cu") {
    return "program_tables";
  }
  if (unit.compare(0, std::string(kSteps).size(), kSteps) != 0) {
    return "";
  }
  const size_t begin = std::string(kSteps).size();
  return "unit_" + unit.substr(begin, unit.rfind('.') - begin);
}

Result<std::string> cuda_source(const SourceBundle& bundle, const std::string& runtime_folder) {
  Amalgamator amalgamator(bundle, runtime_folder);
  for (const std::string& unit : bundle.units) {
    STITCH_TRY(amalgamator.add(unit, name_space_of(unit)));
  }
  STITCH_TRY(amalgamator.add(kGraphCache));
  return amalgamator.text();
}

// The libraries that the sources are written against.
std::string link_flags(const std::string& source) {
  std::string flags;
  for (const auto& [header, flag] : {std::pair("<cublasLt.h>", "-lcublasLt"), std::pair("<cublas_v2.h>", "-lcublas"),
                                     std::pair("<cudnn.h>", "-lcudnn")}) {
    if (source.find(header) != std::string::npos) {
      flags += fmt::format("{}\"{}\"", flags.empty() ? "" : ", ", flag);
    }
  }
  return "[" + flags + "]";
}

std::string construct(const PythonReference& reference) {
  switch (reference.kind) {
    case Kind::kClass:
      return "        super().__init__(*arguments, **keywords)";
    case Kind::kInstance:
      return fmt::format("        self.__dict__.update(__import__(\"copy\").deepcopy({}).__dict__)", reference.target);
    default:
      return "        super().__init__()";
  }
}

std::string base(const PythonReference& reference) {
  return reference.kind == Kind::kClass      ? reference.target
         : reference.kind == Kind::kInstance ? fmt::format("type({})", reference.target)
                                             : "torch.nn.Module";
}

}  // namespace

Result<std::string> single_file_form(const SourceBundle& bundle, const PythonReference& reference,
                                     const PythonFormOptions& options) {
  STITCH_ASSIGN(const std::string cuda, cuda_source(bundle, options.runtime_folder));
  Amalgamator binding(bundle, options.runtime_folder);
  STITCH_TRY(binding.add(kBinding));
  const auto root = reference.modes.find("");
  const bool training = root != reference.modes.end() && root->second;
  const std::string digest = sha256_hex(cuda + binding.text()).substr(0, kDigestDigits);
  return filled_template(options.runtime_folder, "kernelbench_solution.py.in",
                         {{"NAME", bundle.name},
                          {"CONSTRUCTOR_SOURCE", reference.constructor_source},
                          {"CUDA_SOURCE", cuda},
                          {"CPP_SOURCE", binding.text()},
                          {"EXTENSION", fmt::format("stitchcuda_{}_{}", bundle.name, digest)},
                          {"LINK", link_flags(cuda)},
                          {"TAKES", reference.takes},
                          {"RETURNS", reference.returns},
                          {"CONSTANTS", python_constants(reference.constants)},
                          {"BASE", base(reference)},
                          {"CONSTRUCT", construct(reference)},
                          {"TRAINING", python_bool(training)},
                          {"BOTH_MODES", python_bool(reference.both_modes)},
                          {"MODE", training ? "train" : "eval"}});
}

}  // namespace stitch::codegen
