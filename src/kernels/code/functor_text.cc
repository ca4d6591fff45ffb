// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/functor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "kernels/code/expr_text.h"

namespace stitch::kernels {
namespace {

// Stored in one type and computed in another by to_float() and from_float(); float64 is computed as it is stored.
bool is_in_float(DataType dtype) { return is_floating_point(dtype) && dtype != DataType::kFloat64; }

// Stored narrower than the int64_t that it is computed in.
bool is_narrow(DataType dtype) {
  return dtype == DataType::kInt32 || dtype == DataType::kInt16 || dtype == DataType::kInt8 ||
         dtype == DataType::kUint8;
}

std::string as_stored(const std::string& text, DataType type) {
  if (type == DataType::kFloat32 || type == DataType::kFloat64 || type == DataType::kInt64 || type == DataType::kBool) {
    return text;
  }
  if (is_floating_point(type)) {
    return fmt::format("stitch::from_float<{}>({})", cuda_type_name(type), text);
  }
  return fmt::format("static_cast<{}>({})", cuda_type_name(type), text);
}

// "row * bias_row_stride + column", "0" for a single element.
class IndexPrinter {
 public:
  explicit IndexPrinter(const FunctorTree& functor) : functor_(functor) {}

  std::string print(const IndexSum& index, const std::string& prefix) const {
    std::string text = index.has_offset ? prefix + "_offset" : "";
    for (const IndexTerm& term : index.terms) {
      text += text.empty() ? "" : " + ";
      text += digit(term);
      text += term.has_unit_stride ? "" : " * " + stride_name(functor_, prefix, term);
    }
    return text.empty() ? "0" : text;
  }

  // Declarations that split places into digits.
  std::vector<std::string> splits() const {
    std::vector<std::string> lines;
    for (const Place& place : functor_.places) {
      if (functor_.shape.takes_index || place.digits() < 2 || !place.is_used()) {
        continue;
      }
      std::string rest = place.name;
      for (size_t digit = place.digits() - 1; digit >= std::max<size_t>(place.first_used(), 1); --digit) {
        const std::string variable = split(place, digit);
        lines.push_back(fmt::format("const stitch::QuotientRemainder {} = {}.divide({});", variable,
                                    divider_name(place, digit), rest));
        rest = variable + ".quotient";
      }
    }
    return lines;
  }

  // "int64_t row, int64_t /*column*/": unused ones have no name, unless all are handed on.
  std::string parameters(bool all_named) const {
    const auto called = [&](const Place& place) {
      return all_named || place.is_used() ? place.name : "/*" + place.name + "*/";
    };
    if (functor_.shape.takes_index) {
      const Place& place = functor_.places.back();
      return fmt::format("const stitch::Index<{}>& {}", std::max<size_t>(place.digits(), 1), called(place));
    }
    std::string text;
    for (const Place& place : functor_.places) {
      text += (text.empty() ? "int64_t " : ", int64_t ") + called(place);
    }
    return text;
  }

 private:
  static std::string split(const Place& place, size_t digit) {
    return place.digits() == 2 ? place.name + "_split" : fmt::format("{}_split_{}", place.name, digit);
  }

  std::string digit(const IndexTerm& term) const {
    const Place& place = functor_.places[term.place];
    if (functor_.shape.takes_index) {
      return fmt::format("{}[{}]", place.name, term.digit);
    }
    if (place.digits() == 1) {
      return place.name;
    }
    return split(place, std::max<size_t>(term.digit, 1)) + (term.digit == 0 ? ".quotient" : ".remainder");
  }

  const FunctorTree& functor_;
};

// The body of one width.
class BodyPrinter {
 public:
  BodyPrinter(const FunctorTree& functor, bool lanes) : functor_(functor), index_(functor) {
    names_.lanes = lanes;
    for (const Access& access : functor_.accesses) {
      names_.loads.push_back(element(access));
    }
    for (const Position& position : functor_.positions) {
      names_.positions.push_back(position.name);
    }
  }

  std::vector<std::string> print() {
    body_ = index_.splits();
    add_loads();
    if (names_.lanes) {
      add_lane_loop();
    } else {
      add_statements("");
      add_stores();
      if (!returns().is_nothing()) {
        body_.push_back(fmt::format("return {};", text(returns())));
      }
    }
    return std::move(body_);
  }

 private:
  const Expr& returns() const { return functor_.shape.returns; }
  std::string text(const Expr& expression) const { return to_text(expression, names_); }
  bool along_lanes(const Access& access) const { return names_.lanes && access.index.lane_stride == LaneStride::kOne; }

  std::string element(const Access& access) const {
    if (!along_lanes(access)) {
      return access.name + "_value";
    }
    const std::string lane = access.name + "_lanes[lane]";
    return is_narrow(access.dtype) ? fmt::format("static_cast<int64_t>({})", lane) : lane;
  }

  std::string place(const Access& access) const {
    const std::string walked = index_.print(access.index, access.name);
    if (access.row.is_nothing()) {
      return walked;
    }
    const std::string row = text(access.row);
    return (access.holds_row ? fmt::format("stitch::bounded_row({}, {}_rows)", row, access.name) : row) +
           (access.row_counts_elements ? "" : " * " + access.name + "_entry_stride") +
           (walked == "0" ? "" : " + " + walked);
  }

  std::string address(const Access& access) const {
    const std::string at = place(access);
    return at == "0" ? access.name : access.name + " + " + at;
  }

  std::string load(const Access& access) const {
    if (along_lanes(access)) {
      return fmt::format("const auto {}_lanes = stitch::{}<kLanes>({});", access.name,
                         is_in_float(access.dtype) ? "load_float_lanes" : "load_lanes", address(access));
    }
    std::string element = fmt::format("{}[{}]", access.name, place(access));
    if (is_in_float(access.dtype) && access.dtype != DataType::kFloat32) {
      element = fmt::format("stitch::to_float({})", element);
    } else if (is_narrow(access.dtype)) {
      element = fmt::format("static_cast<int64_t>({})", element);
    }
    return fmt::format("const {} {}_value = {};", to_string(compute_type(access.dtype)), access.name, element);
  }

  // Those at computed rows follow once their rows are known; with lanes the rows are loads themselves.
  void add_loads() {
    for (const Access& access : functor_.accesses) {
      if (!access.is_store && access.row.is_nothing()) {
        body_.push_back(load(access));
      }
    }
    is_loaded_.assign(functor_.accesses.size(), names_.lanes);
    for (const Access& access : functor_.accesses) {
      if (names_.lanes && !access.row.is_nothing()) {
        body_.push_back(load(access));
      }
    }
  }

  // Loads at computed rows that `expression` needs and that have not been made yet.
  void add_row_loads(const Expr& expression, const std::string& indent) {
    for (size_t i = 0; i < functor_.accesses.size(); ++i) {
      const Access& access = functor_.accesses[i];
      if (!is_loaded_[i] && !access.row.is_nothing() && uses_load(expression, i)) {
        add_row_loads(access.row, indent);
        body_.push_back(indent + load(access));
        is_loaded_[i] = true;
      }
    }
  }

  void add_statements(const std::string& indent) {
    for (const Position& position : functor_.positions) {
      const std::string value = index_.print(position.index, position.name) + lane_part(position);
      body_.push_back(fmt::format("{}const int64_t {} = {};", indent, position.name, value));
    }
    for (const Statement& statement : functor_.statements) {
      add_row_loads(statement.value, indent);
      body_.push_back(
          fmt::format("{}const {} {} = {};", indent, statement.type, statement.name, text(statement.value)));
    }
    for (const Access& access : functor_.accesses) {
      if (access.is_store) {
        add_row_loads(access.value, indent);
      }
    }
    add_row_loads(returns(), indent);
  }

  // Lanes lie along the innermost digit of the last place.
  std::string lane_part(const Position& position) const {
    if (!names_.lanes || position.index.lane_stride == LaneStride::kNone) {
      return "";
    }
    if (position.index.lane_stride == LaneStride::kOne) {
      return " + lane";
    }
    const size_t last = functor_.places.size() - 1;
    return " + lane * " + stride_name(functor_, position.name, {last, functor_.places[last].digits() - 1, false});
  }

  void add_stores() {
    for (const Access& access : functor_.accesses) {
      if (access.is_store) {
        body_.push_back(
            fmt::format("{}[{}] = {};", access.name, place(access), as_stored(text(access.value), access.dtype)));
      }
    }
  }

  void add_lane_loop() {
    for (const Access& access : functor_.accesses) {
      if (access.is_store) {
        body_.push_back(fmt::format("stitch::Lanes<{}, kLanes> {}_lanes;",
                                    is_in_float(access.dtype) ? "float" : cuda_type_name(access.dtype), access.name));
      }
    }
    if (!returns().is_nothing()) {
      body_.push_back(fmt::format("stitch::Lanes<{}, kLanes> result;", functor_.shape.return_type));
    }
    body_.push_back("#pragma unroll");
    body_.push_back("for (int lane = 0; lane < kLanes; ++lane) {");
    add_statements("  ");
    add_lane_results();
    body_.push_back("}");
    for (const Access& access : functor_.accesses) {
      if (access.is_store) {
        body_.push_back(fmt::format("stitch::{}({}, {}_lanes);",
                                    is_in_float(access.dtype) ? "store_float_lanes" : "store_lanes", address(access),
                                    access.name));
      }
    }
    if (!returns().is_nothing()) {
      body_.push_back("return result;");
    }
  }

  void add_lane_results() {
    for (const Access& access : functor_.accesses) {
      if (access.is_store) {
        const std::string value = text(access.value);
        body_.push_back(fmt::format("  {}_lanes[lane] = {};", access.name,
                                    is_in_float(access.dtype) ? value : as_stored(value, access.dtype)));
      }
    }
    if (!returns().is_nothing()) {
      body_.push_back(fmt::format("  result[lane] = {};", text(returns())));
    }
  }

  const FunctorTree& functor_;
  IndexPrinter index_;
  BodyNames names_;
  std::vector<bool> is_loaded_;  // by access
  std::vector<std::string> body_;
};

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

// Those of one element, or with `lanes` of kLanes neighbouring ones.
std::string parameters(const FunctorTree& functor, bool lanes, bool all_named) {
  const FunctorShape& shape = functor.shape;
  std::vector<std::string> parts = {IndexPrinter(functor).parameters(all_named), shape.extra_parameters};
  if (!shape.lane_total.empty()) {
    parts.push_back(lanes ? fmt::format("const stitch::Lanes<{}, kLanes>& totals", shape.lane_total)
                          : fmt::format("const {}& total", shape.lane_total));
  }
  if (!shape.lane_value.empty()) {
    parts.push_back(lanes ? fmt::format("const stitch::Lanes<float, kLanes>& {}s", shape.lane_value)
                          : "float " + shape.lane_value);
  }
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return joined(parts);
}

Method lanes_method(const FunctorTree& functor) {
  const FunctorShape& shape = functor.shape;
  const std::string returns =
      shape.returns.is_nothing() ? "void" : fmt::format("stitch::Lanes<{}, kLanes>", shape.return_type);
  return {fmt::format("template <int kLanes>\n__device__ {} {}({}) const", returns,
                      shape.takes_index ? "apply" : "lanes", parameters(functor, true, false)),
          BodyPrinter(functor, functor.takes_lanes).print()};
}

// "lanes<1>(row, column, {value});"
std::string one_lane(const FunctorTree& functor) {
  std::vector<std::string> arguments;
  for (const Place& place : functor.places) {
    arguments.push_back(place.name);
  }
  if (!functor.shape.lane_total.empty()) {
    arguments.push_back("{total}");
  }
  if (!functor.shape.lane_value.empty()) {
    arguments.push_back("{" + functor.shape.lane_value + "}");
  }
  const bool loads = !functor.shape.returns.is_nothing();
  return fmt::format("{}lanes<1>({}){};", loads ? "return " : "", joined(arguments), loads ? "[0]" : "");
}

// One element is one lane where there are lanes: the mathematics stand once.
Method element_method(const FunctorTree& functor) {
  const FunctorShape& shape = functor.shape;
  const std::string signature =
      fmt::format("__device__ {} operator()({}) const", shape.returns.is_nothing() ? "void" : shape.return_type,
                  parameters(functor, false, functor.takes_lanes));
  return {signature,
          functor.takes_lanes ? std::vector<std::string>{one_lane(functor)} : BodyPrinter(functor, false).print()};
}

// Whether the access is a load at `place` alone, which no loops share.
bool is_at_alone(const FunctorTree& functor, const Access& access, const std::string& place) {
  const bool is_plain = !access.is_store && access.row.is_nothing() && !access.index.terms.empty();
  return is_plain && std::all_of(access.index.terms.begin(), access.index.terms.end(), [&](const IndexTerm& term) {
           const Place& of_term = functor.places[term.place];
           return of_term.name == place && of_term.digits() == 1;
         });
}

// What a storer with totals reads of a row alone, the skeleton may fetch while the row is read.
std::optional<Method> prefetch_method(const FunctorTree& functor) {
  const std::string place = "row";
  const bool is_of_rows = !functor.shape.lane_total.empty() && functor.places.front().name == place;
  std::vector<std::string> body;
  for (const Access& access : functor.accesses) {
    if (is_of_rows && is_at_alone(functor, access, place)) {
      body.push_back(fmt::format("stitch::ptx::prefetch({} + {});", access.name,
                                 IndexPrinter(functor).print(access.index, access.name)));
    }
  }
  if (body.empty()) {
    return std::nullopt;
  }
  return Method{fmt::format("__device__ void prefetch(int64_t {}) const", place), std::move(body)};
}

}  // namespace

Functor to_text(const FunctorTree& functor) {
  const FunctorShape& shape = functor.shape;
  Functor result{shape.comment, functor.name, functor.members, {}};
  if (functor.takes_lanes || shape.takes_index) {
    result.methods.push_back(lanes_method(functor));
  }
  if (!shape.takes_index) {
    result.methods.push_back(element_method(functor));
  }
  if (std::optional<Method> prefetch = prefetch_method(functor); prefetch.has_value()) {
    result.methods.push_back(std::move(*prefetch));
  }
  return result;
}

}  // namespace stitch::kernels
