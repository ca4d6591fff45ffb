// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/functor_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/expression/literal.h"
#include "kernels/lowering/index_text.h"

namespace stitch::kernels {
namespace {

struct Writer {
  StepBuilder& step;
  const FunctorDraft& draft;
  const FunctorShape& shape;
  IndexText& index;
  std::vector<std::string> offsets = {};    // per access, in order of drafting
  std::vector<std::string> positions = {};  // per position
  bool lanes = false;

  DataType dtype(const Access& access) const { return step.group().graph->type(access.value).dtype; }
  bool along_lanes(const Access& access) const { return index.lane_stride(access.index) == 1; }

  // Drafts refer to loads, positions and the skeleton's own value by marker: see FunctorDraft.
  std::string rendered(const std::string& text) const {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      const bool is_marker = text[at] == '<' && at + 1 < text.size() &&
                             (text[at + 1] == '#' || text[at + 1] == '@' || text[at + 1] == '$');
      if (!is_marker) {
        result += text[at++];
        continue;
      }
      const size_t end = text.find('>', at);
      result += marker(text[at + 1], text.substr(at + 2, end - at - 2));
      at = end + 1;
    }
    return result;
  }

  std::string marker(char kind, const std::string& inside) const {
    if (kind == '$') {
      const size_t bar = inside.find('|');
      return lanes ? inside.substr(bar + 1) : inside.substr(0, bar);
    }
    const auto number = static_cast<size_t>(std::stoi(inside));
    if (kind == '@') {
      return draft.position_names[number];
    }
    const Access& access = draft.accesses[number];
    if (lanes && along_lanes(access)) {
      const std::string element = access.local + "_lanes[lane]";
      return narrow(dtype(access)) ? fmt::format("static_cast<int64_t>({})", element) : element;
    }
    return access.local + "_value";
  }

  // Stored in one type and computed in another by to_float() and from_float(); float64 is computed as it is stored.
  static bool is_in_float(DataType dtype) { return is_floating_point(dtype) && dtype != DataType::kFloat64; }

  static bool narrow(DataType dtype) {
    return dtype == DataType::kInt32 || dtype == DataType::kInt16 || dtype == DataType::kInt8 ||
           dtype == DataType::kUint8;
  }

  std::string place(size_t number) const {
    const Access& access = draft.accesses[number];
    std::string text = offsets[number];
    if (!access.looked_up.empty()) {
      const std::string stride = access.looked_up_is_offset ? "" : " * " + access.pointer + "_entry_stride";
      const std::string row = rendered(access.looked_up);
      const std::string held =
          access.rows == 0 ? row : fmt::format("stitch::bounded_row({}, {}_rows)", row, access.pointer);
      text = held + stride + (text == "0" ? "" : " + " + text);
    }
    return text;
  }

  std::string load_statement(size_t number) const {
    const Access& access = draft.accesses[number];
    const DataType type = dtype(access);
    const std::string at = place(number);
    if (lanes && along_lanes(access)) {
      const std::string address = at == "0" ? access.pointer : access.pointer + " + " + at;
      return fmt::format("const auto {}_lanes = stitch::{}<kLanes>({});", access.local,
                         is_in_float(type) ? "load_float_lanes" : "load_lanes", address);
    }
    std::string element = fmt::format("{}[{}]", access.pointer, at);
    if (is_in_float(type) && type != DataType::kFloat32) {
      element = fmt::format("stitch::to_float({})", element);
    } else if (narrow(type)) {
      element = fmt::format("static_cast<int64_t>({})", element);
    }
    return fmt::format("const {} {}_value = {};", compute_type(type), access.local, element);
  }

  std::string lane_type(DataType type) const { return is_in_float(type) ? "float" : cuda_type_name(type); }

  static std::string as_stored(const std::string& text, DataType type) {
    if (type == DataType::kFloat32 || type == DataType::kFloat64 || type == DataType::kInt64 ||
        type == DataType::kBool) {
      return text;
    }
    if (is_floating_point(type)) {
      return fmt::format("stitch::from_float<{}>({})", cuda_type_name(type), text);
    }
    return fmt::format("static_cast<{}>({})", cuda_type_name(type), text);
  }

  void add_loads(std::vector<std::string>& body) const {
    for (size_t i = 0; i < draft.accesses.size(); ++i) {
      if (!draft.accesses[i].is_store && draft.accesses[i].looked_up.empty()) {
        body.push_back(load_statement(i));
      }
    }
    if (lanes) {
      for (size_t i = 0; i < draft.accesses.size(); ++i) {
        if (!draft.accesses[i].looked_up.empty()) {
          body.push_back(load_statement(i));
        }
      }
    }
  }

  // Statements in order; a load at a looked-up row stands before its first use.
  void add_statements(std::vector<std::string>& body, const std::string& indent) const {
    for (size_t i = 0; i < positions.size(); ++i) {
      const int64_t stride = index.lane_stride(draft.positions[i]);
      const std::string lane = lanes && stride != 0 ? index.scaled(draft.position_names[i], "lane", stride) : "";
      body.push_back(indent + fmt::format("const int64_t {} = {}{};", draft.position_names[i], positions[i],
                                          lane.empty() ? "" : " + " + lane));
    }
    std::vector<bool> is_loaded(draft.accesses.size(), lanes);
    const auto load_looked_up = [&](const std::string& text) {
      for (size_t i = 0; i < draft.accesses.size(); ++i) {
        const bool is_used = text.find(fmt::format("<#{}>", i)) != std::string::npos;
        if (is_used && !is_loaded[i] && !draft.accesses[i].looked_up.empty()) {
          body.push_back(indent + load_statement(i));
          is_loaded[i] = true;
        }
      }
    };
    for (const Statement& statement : draft.statements) {
      load_looked_up(statement.text);
      body.push_back(indent +
                     fmt::format("const {} {} = {};", statement.type, statement.name, rendered(statement.text)));
    }
    for (const Access& access : draft.accesses) {
      if (access.is_store) {
        load_looked_up(access.text);
      }
    }
    load_looked_up(shape.returns);
  }

  std::vector<std::string> scalar_body() const {
    std::vector<std::string> body = index.splits();
    add_loads(body);
    add_statements(body, "");
    for (size_t i = 0; i < draft.accesses.size(); ++i) {
      const Access& access = draft.accesses[i];
      if (access.is_store) {
        body.push_back(
            fmt::format("{}[{}] = {};", access.pointer, place(i), as_stored(rendered(access.text), dtype(access))));
      }
    }
    if (!shape.returns.empty()) {
      body.push_back(fmt::format("return {};", rendered(shape.returns)));
    }
    return body;
  }

  std::vector<std::string> lane_body() const {
    std::vector<std::string> body = index.splits();
    add_loads(body);
    for (const Access& access : draft.accesses) {
      if (access.is_store) {
        body.push_back(fmt::format("stitch::Lanes<{}, kLanes> {}_lanes;", lane_type(dtype(access)), access.local));
      }
    }
    if (!shape.returns.empty()) {
      body.push_back(fmt::format("stitch::Lanes<{}, kLanes> result;", shape.return_type));
    }
    body.push_back("#pragma unroll");
    body.push_back("for (int lane = 0; lane < kLanes; ++lane) {");
    add_statements(body, "  ");
    for (const Access& access : draft.accesses) {
      if (access.is_store) {
        const DataType type = dtype(access);
        const std::string text = rendered(access.text);
        body.push_back(
            fmt::format("  {}_lanes[lane] = {};", access.local, is_in_float(type) ? text : as_stored(text, type)));
      }
    }
    if (!shape.returns.empty()) {
      body.push_back(fmt::format("  result[lane] = {};", rendered(shape.returns)));
    }
    body.push_back("}");
    for (size_t i = 0; i < draft.accesses.size(); ++i) {
      const Access& access = draft.accesses[i];
      if (access.is_store) {
        const std::string at = place(i);
        body.push_back(fmt::format("stitch::{}({}, {}_lanes);",
                                   is_in_float(dtype(access)) ? "store_float_lanes" : "store_lanes",
                                   at == "0" ? access.pointer : access.pointer + " + " + at, access.local));
      }
    }
    if (!shape.returns.empty()) {
      body.push_back("return result;");
    }
    return body;
  }
};

// Lanes are worth having, and possible, when every access walks them with stride one or not at all.
bool lanes_possible(const FunctorDraft& draft, const IndexText& index, const FunctorShape& shape) {
  bool any = false;
  for (const Access& access : draft.accesses) {
    const int64_t stride = index.lane_stride(access.index);
    if (stride != 0 && stride != 1) {
      return false;
    }
    if (access.is_store && stride == 0) {
      return false;
    }
    if (!access.looked_up.empty()) {  // the row must be one number for all lanes
      const bool is_load = access.looked_up.rfind("<#", 0) == 0 && access.looked_up.back() == '>' &&
                           access.looked_up.find('<', 1) == std::string::npos;
      if (!is_load) {
        return false;
      }
      const auto row = static_cast<size_t>(std::stoi(access.looked_up.substr(2)));
      if (index.lane_stride(draft.accesses[row].index) != 0) {
        return false;
      }
    }
    any = any || stride == 1;
  }
  return shape.may_take_lanes && any;
}

std::vector<std::string> with_lanes(const Writer& scalar_writer) {
  Writer writer = scalar_writer;
  writer.lanes = true;
  return writer.lane_body();
}

}  // namespace

FunctorText write_functor(StepBuilder& step, const std::string& name, const Domain& domain,
                          const std::vector<Coordinate>& coordinates, FunctorDraft draft, const FunctorShape& shape) {
  std::vector<AffineIndex> uses = draft.positions;
  for (Access& access : draft.accesses) {
    uses.push_back(access.index);
  }
  IndexText index(step, domain, coordinates, uses, shape.takes_index);
  Writer writer{step, draft, shape, index};
  FunctorText result;
  result.functor.name = name;
  result.functor.comment = shape.comment;
  for (size_t i = 0; i < draft.accesses.size(); ++i) {
    const Access& access = draft.accesses[i];
    const DataType dtype = writer.dtype(access);
    if (dtype == DataType::kFloat16 || dtype == DataType::kBfloat16) {
      step.include("kernels/common/half.cuh");
    }
    index.add_pointer(access.pointer, fmt::format("{}{}*", access.is_store ? "" : "const ", cuda_type_name(dtype)),
                      step.tensor(access.value), access.index.offset);
    if (access.rows > 0) {
      index.add_member("int64_t", access.pointer + "_rows", step.extent(access.pointer + "_rows", access.rows));
    }
    if (!access.looked_up.empty() && !access.looked_up_is_offset) {
      // Not "row": coordinates are called so, and have strides of their own.
      index.add_member("int64_t", access.pointer + "_entry_stride",
                       step.extent(access.pointer + "_entry_stride", access.row_stride));
    }
    writer.offsets.push_back(index.offset(access.index, access.pointer));
  }
  for (size_t i = 0; i < draft.positions.size(); ++i) {
    writer.positions.push_back(index.position(draft.positions[i], draft.position_names[i]));
  }
  result.takes_lanes = lanes_possible(draft, index, shape);
  const auto signature = [&](const std::string& returns, const std::string& called, const std::string& extra) {
    return fmt::format("__device__ {} {}({}{}) const", returns, called, index.parameters(!extra.empty()), extra);
  };
  const bool loads = !shape.returns.empty();
  if (result.takes_lanes || shape.takes_index) {
    const std::string called = shape.takes_index ? "apply" : "lanes";
    const std::string returns = loads ? fmt::format("stitch::Lanes<{}, kLanes>", shape.return_type) : "void";
    result.functor.methods.push_back({"template <int kLanes>\n" + signature(returns, called, shape.lane_parameters),
                                      result.takes_lanes ? with_lanes(writer) : writer.scalar_body()});
  }
  if (!shape.takes_index) {
    result.functor.methods.push_back(
        {signature(loads ? shape.return_type : "void", "operator()", shape.extra_parameters), writer.scalar_body()});
  }
  index.finish();
  for (const Member& member : draft.members) {
    index.add_member(member.type, member.name, member.initial);
  }
  result.functor.members = index.members();
  result.digits = index.last_digits();
  if (result.takes_lanes) {
    result.lane_divider = index.lane_divider();
    for (const Access& access : draft.accesses) {
      if (writer.along_lanes(access)) {
        result.lane_checks.push_back(index.lane_check(access.index, access.pointer, !access.looked_up.empty()));
      }
    }
  }
  return result;
}

}  // namespace stitch::kernels
