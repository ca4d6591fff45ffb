// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/index_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error/check.h"

namespace stitch::kernels {

IndexText::IndexText(StepBuilder& step, const Domain& domain, const std::vector<Coordinate>& coordinates,
                     const std::vector<AffineIndex>& uses, bool takes_index)
    : step_(step), takes_index_(takes_index) {
  for (const Coordinate& coordinate : coordinates) {
    Part part{coordinate.name, digits_of(domain, coordinate, uses), {}};
    for (const Digit& digit : part.digits) {
      part.used.push_back(std::any_of(uses.begin(), uses.end(), [&](const AffineIndex& use) {
        return coefficient(use, digit.innermost_loop) != 0;
      }));
    }
    parts_.push_back(std::move(part));
  }
}

void IndexText::add_member(const std::string& type, const std::string& name, const std::string& initial) {
  const auto known =
      std::find_if(members_.begin(), members_.end(), [&](const Member& member) { return member.name == name; });
  if (known == members_.end()) {
    members_.push_back({type, name, initial});
    return;
  }
  STITCH_CHECK(known->initial == initial) << "two numbers would be called " << name;
}

void IndexText::add_pointer(const std::string& name, const std::string& type, const std::string& tensor,
                            int64_t offset) {
  std::string initial = fmt::format("static_cast<{}>({})", type, tensor);
  if (offset != 0) {
    initial += " + " + step_.extent(name + "_offset", offset);
  }
  add_member(type, name, initial);
}

std::string IndexText::digit_text(const Part& part, size_t digit) const {
  if (takes_index_) {
    return fmt::format("{}[{}]", part.name, digit);
  }
  if (part.digits.size() == 1) {
    return part.name;
  }
  const size_t split = std::max<size_t>(digit, 1);
  const std::string variable =
      part.digits.size() == 2 ? part.name + "_split" : fmt::format("{}_split_{}", part.name, split);
  return variable + (digit == 0 ? ".quotient" : ".remainder");
}

std::string IndexText::digit_label(const Part& part, size_t digit) const {
  if (takes_index_) {
    return part.digits.size() == 1 ? "element" : fmt::format("axis_{}", digit);
  }
  return part.digits.size() == 1 ? part.name : fmt::format("{}_{}", part.name, digit);
}

std::string IndexText::divider_name(const Part& part, size_t digit) const {
  return part.digits.size() == 2 ? part.name + "_divider" : fmt::format("{}_divider_{}", part.name, digit);
}

std::string IndexText::terms(const AffineIndex& index, const std::string& prefix) {
  std::string text;
  for (const Part& part : parts_) {
    for (size_t digit = 0; digit < part.digits.size(); ++digit) {
      const int64_t stride = coefficient(index, part.digits[digit].innermost_loop);
      if (stride == 0) {
        continue;
      }
      text += text.empty() ? "" : " + ";
      text += digit_text(part, digit);
      if (stride != 1) {
        const std::string member = fmt::format("{}_{}_stride", prefix, digit_label(part, digit));
        const auto [known, is_new] = strides_.emplace(member, stride);
        STITCH_CHECK(known->second == stride) << "two strides would be called " << member;
        if (is_new) {
          add_member("int64_t", member, step_.extent(member, stride));
        }
        text += " * " + member;
      }
    }
  }
  return text.empty() ? "0" : text;
}

std::string IndexText::offset(const AffineIndex& index, const std::string& pointer) { return terms(index, pointer); }

std::string IndexText::position(const AffineIndex& index, const std::string& name) {
  std::string text = terms(index, name);
  if (index.offset != 0) {
    const std::string member = name + "_offset";
    add_member("int64_t", member, step_.extent(member, index.offset));
    text = text == "0" ? member : member + " + " + text;
  }
  return text;
}

std::string IndexText::scaled(const std::string& name, const std::string& text, int64_t stride) const {
  if (stride == 1) {
    return text;
  }
  const Part& part = parts_.back();
  return fmt::format("{} * {}_{}_stride", text, name, digit_label(part, part.digits.size() - 1));
}

int64_t IndexText::lane_stride(const AffineIndex& index) const {
  const std::vector<Digit> digits = parts_.empty() ? std::vector<Digit>() : parts_.back().digits;
  return digits.empty() ? 0 : coefficient(index, digits.back().innermost_loop);
}

std::string IndexText::lane_check(const AffineIndex& index, const std::string& pointer, bool has_looked_up_row) const {
  std::string arguments = "@" + pointer;
  for (const Part& part : parts_) {
    for (size_t digit = 0; digit < part.digits.size(); ++digit) {
      const bool is_lane = &part == &parts_.back() && digit + 1 == part.digits.size();
      if (!is_lane && coefficient(index, part.digits[digit].innermost_loop) != 0) {
        const bool is_one = coefficient(index, part.digits[digit].innermost_loop) == 1;
        arguments += is_one ? ", 1" : fmt::format(", @{}_{}_stride", pointer, digit_label(part, digit));
      }
    }
  }
  if (has_looked_up_row) {
    arguments += fmt::format(", @{}_entry_stride", pointer);
  }
  return fmt::format("stitch::lanes_aligned({})", arguments);
}

std::string IndexText::lane_divider() const {
  const Part& part = parts_.back();
  return takes_index_ || part.digits.size() < 2 ? "" : divider_name(part, part.digits.size() - 1);
}

size_t IndexText::first_used(const Part& part) {
  return static_cast<size_t>(std::find(part.used.begin(), part.used.end(), true) - part.used.begin());
}

std::vector<std::string> IndexText::splits() const {
  std::vector<std::string> lines;
  for (const Part& part : parts_) {
    const size_t count = part.digits.size();
    if (takes_index_ || count < 2 || first_used(part) == count) {
      continue;
    }
    std::string rest = part.name;
    for (size_t digit = count - 1; digit >= std::max<size_t>(first_used(part), 1); --digit) {
      const std::string variable = count == 2 ? part.name + "_split" : fmt::format("{}_split_{}", part.name, digit);
      lines.push_back(fmt::format("const stitch::QuotientRemainder {} = {}.divide({});", variable,
                                  divider_name(part, digit), rest));
      rest = variable + ".quotient";
    }
  }
  return lines;
}

std::string IndexText::parameters(bool more_follow) const {
  std::string text;
  if (takes_index_) {
    const Part& part = parts_.back();
    const bool is_used = first_used(part) < part.digits.size();
    const size_t rank = std::max<size_t>(part.digits.size(), 1);
    text = fmt::format("const stitch::Index<{}>& {}", rank, is_used ? part.name : "/*" + part.name + "*/");
    return text + (more_follow ? ", " : "");
  }
  for (const Part& part : parts_) {
    const bool is_used = first_used(part) < part.digits.size();
    text += text.empty() ? "" : ", ";
    text += is_used ? "int64_t " + part.name : "int64_t /*" + part.name + "*/";
  }
  return text + (more_follow && !text.empty() ? ", " : "");
}

void IndexText::finish() {
  for (const Part& part : parts_) {
    const size_t count = part.digits.size();
    if (takes_index_ || count < 2 || first_used(part) == count) {
      continue;
    }
    for (size_t digit = count - 1; digit >= std::max<size_t>(first_used(part), 1); --digit) {
      const std::string name = divider_name(part, digit);
      add_member("stitch::Divider", name,
                 fmt::format("stitch::Divider({})", step_.extent(name, part.digits[digit].extent)));
    }
  }
}

}  // namespace stitch::kernels
