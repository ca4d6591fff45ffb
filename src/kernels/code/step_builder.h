// SPDX-License-Identifier: Apache-2.0
// Collects what a step is made of while its functors are drafted: each table entry gets a name once, in order of first
// use.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "kernels/code/names.h"
#include "kernels/code/step_draft.h"
#include "kernels/group/group.h"

namespace stitch::kernels {

class StepBuilder {
 public:
  explicit StepBuilder(const Group& group);

  const Group& group() const { return group_; }
  // The memory of `value`, which the step reads or writes.
  Expr tensor(ir::ValueId value);
  // The same for whoever finds each element by Group::memory_shape().
  Expr elements(ir::ValueId value) const;
  // Adds an extent. Each call adds a new entry, so that equal sizes never share one by chance.
  Expr extent(const std::string& wanted, int64_t value, const std::string& comment = {});
  // A named constant of this value; the same name for the same type and value.
  Expr constant(const std::string& wanted, const Literal& value, const std::string& comment = {});
  Expr int_constant(const std::string& wanted, int64_t value, const std::string& comment = {});
  std::string type_name(const std::string& wanted) { return names_.take(wanted); }

  void include(const std::string& header);
  // Adds a line to the comment over the step; to the step's function. `format`, a literal, is kept together with the
  // values for its gaps.
  template <typename... Values>
  void describe(const char* format, const Values&... values) {
    draft_.description.push_back({format, {in_line(values)...}});
  }
  template <typename... Values>
  void launch(const char* format, const Values&... values) {
    draft_.launch.emplace_back(Line{format, {in_line(values)...}});
  }
  // Makes `functor` in the step's function, under the name `variable`.
  void construct(FunctorTree functor, const std::string& variable);
  void set_scratch_bytes(int64_t bytes) { draft_.shape.scratch_bytes = bytes; }
  void set_kept_bytes(int64_t bytes) { draft_.shape.kept_bytes = bytes; }

  // Fails where the memory of a result was asked for as a whole that lies in the whole of a concatenation.
  Result<StepDraft> take();

 private:
  static Expr in_line(const Expr& value) { return value; }
  static Expr in_line(const std::string& name) { return named(name); }
  static Expr in_line(const char* name) { return named(name); }
  static Expr in_line(bool value) { return literal_expr({value, ScalarType::kBool}); }
  static Expr in_line(int value) { return in_line(int64_t{value}); }
  static Expr in_line(size_t value) { return in_line(static_cast<int64_t>(value)); }
  static Expr in_line(int64_t value) { return literal_expr({value, ScalarType::kInt}); }

  const Group& group_;
  NameTable names_;
  NameTable extent_names_;
  std::map<ir::ValueId, std::string> tensor_names_;
  std::optional<ir::ValueId> taken_whole_;  // a result that lies apart and was taken for contiguous
  StepDraft draft_;
};

}  // namespace stitch::kernels
