// SPDX-License-Identifier: Apache-2.0
// Index arithmetic of one functor as text, and the members (pointers, strides, dividers) that it needs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/lowering/digits.h"

namespace stitch::kernels {

class IndexText {
 public:
  // `takes_index`: the digits of all coordinates together are axes of one Index called `at`.
  IndexText(StepBuilder& step, const Domain& domain, const std::vector<Coordinate>& coordinates,
            const std::vector<AffineIndex>& uses, bool takes_index);

  void add_member(const std::string& type, const std::string& name, const std::string& initial);
  // A pointer member into `tensor`, `offset` elements from its start.
  void add_pointer(const std::string& name, const std::string& type, const std::string& tensor, int64_t offset);
  // "row * bias_row_stride + column", "0" for a single element; without the constant offset, which is in the pointer.
  std::string offset(const AffineIndex& index, const std::string& pointer);
  // The same for a number that is no address: its offset is a member.
  std::string position(const AffineIndex& index, const std::string& name);
  // "lane" or "lane * name_column_stride".
  std::string scaled(const std::string& name, const std::string& text, int64_t stride) const;
  int64_t lane_stride(const AffineIndex& index) const;
  // "stitch::lanes_aligned(@bias, @bias_row_stride)": @ stands for the functor's variable.
  std::string lane_check(const AffineIndex& index, const std::string& pointer, bool has_looked_up_row) const;

  // The divider that splits the innermost digit off the last coordinate, "" when that has one digit only.
  std::string lane_divider() const;

  // Declarations that split coordinates into digits.
  std::vector<std::string> splits() const;
  // "int64_t row, int64_t /*column*/": unused ones have no name.
  std::string parameters(bool more_follow) const;
  // Adds the dividers' members; call it last.
  void finish();
  const std::vector<Member>& members() const { return members_; }
  std::vector<Digit> last_digits() const { return parts_.empty() ? std::vector<Digit>() : parts_.back().digits; }

 private:
  struct Part {
    std::string name;
    std::vector<Digit> digits;
    std::vector<bool> used;
  };
  std::string digit_text(const Part& part, size_t digit) const;
  std::string digit_label(const Part& part, size_t digit) const;
  std::string divider_name(const Part& part, size_t digit) const;
  std::string terms(const AffineIndex& index, const std::string& prefix);
  // The outermost digit that any access depends on, or the number of digits.
  static size_t first_used(const Part& part);

  StepBuilder& step_;
  bool takes_index_;
  std::vector<Part> parts_;
  std::vector<Member> members_;
  std::map<std::string, int64_t> strides_;  // of those members that are strides
};

}  // namespace stitch::kernels
