// SPDX-License-Identifier: Apache-2.0
// An exported PyTorch program as the Python importer hands it over ("stitchcuda.exported/1"), read but not yet
// converted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "artifact/tensor/tensor_spec.h"
#include "base/json/json_forward.h"

namespace stitch::frontend {

struct ValueName {
  std::string name;
};
struct OtherArgument {  // something we have no word for; only its Python text
  std::string text;
};
struct Argument;
using ArgumentList = std::vector<Argument>;
struct Argument {
  std::variant<std::monostate, ValueName, bool, int64_t, double, std::string, DataType, ArgumentList, OtherArgument>
      value;
  bool is_none() const { return value.index() == 0; }
};

struct ExportedOutput {
  std::string name;                // empty: the operator gives nothing here
  std::optional<TensorType> type;  // missing: an element type we have no word for
  std::string dtype_text;
};

struct ExportedNode {
  std::string target;    // "aten.add.Tensor"
  std::string base;      // "add", or the whole target outside aten
  std::string overload;  // "Tensor"
  std::vector<Argument> arguments;
  std::map<std::string, Argument> keywords;
  std::vector<ExportedOutput> outputs;
  std::string location;
};

struct ExportedValue {
  std::string name;
  TensorRole role = TensorRole::kInput;
  std::string binding;
  TensorType type;
};

struct ExportedResult {
  std::string value;
  TensorRole role = TensorRole::kOutput;
  std::string binding;
};

struct ExportedProgram {
  std::string name;
  std::string mode;
  std::vector<ExportedValue> values;
  std::vector<ExportedNode> nodes;
  std::vector<ExportedResult> outputs;
};

Result<ExportedProgram> read_exported(const Json& json);

}  // namespace stitch::frontend
