// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

constexpr size_t kLargestRank = 6;  // of launch_map

std::vector<int> all_axes(const std::vector<int64_t>& shape) {
  std::vector<int> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

class PointwiseMap final : public KernelTemplate {
 public:
  const char* name() const override { return "pointwise"; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override {
    return is_elementwise(node) || is_view(node) || is_generated(node);
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return {{"lanes_4", 1}, {"lanes_1", 1}};
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr int kThreads = 256;
    const auto count = group.graph->type(group.root_node().outputs[0]).element_count();
    Work work;
    work.lane_operations = pointwise_operations(group);
    work.bytes = least_bytes(group);
    work.blocks = count / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.bandwidth_share = setting.variant == "lanes_4" ? 0.92 : 0.85;
    return work;
  }

  Result<StepCode> emit(const Group& group, const Setting& setting) const override {
    StepBuilder step(group);
    step.include("kernels/pointwise/map.cuh");
    const ir::ValueId root = group.root_node().outputs[0];
    const Domain domain(group.graph->type(root).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Map", domain,
                           {{"at", all_axes(domain.shape())}});
    STITCH_TRY(builder.bind_computed(root, domain.anchor_map()));
    STITCH_TRY(builder.store_results());
    const bool wants_lanes = setting.variant == "lanes_4";
    const FunctorText functor = builder.finish({.comment = "Computes and stores kLanes neighbouring elements.",
                                                .takes_index = true,
                                                .may_take_lanes = wants_lanes});
    const size_t rank = std::max<size_t>(functor.digits.size(), 1);
    if (rank > kLargestRank) {
      return failure(ErrorCode::kUnsupportedOperator,
                     fmt::format("the operands walk {} axes in different orders, a kernel takes {}", rank, kLargestRank));
    }
    construct(step, functor, "map");
    add_launch(step, functor, rank);
    return step.take();
  }

 private:
  static void add_launch(StepBuilder& step, const FunctorText& functor, size_t rank) {
    std::string extents;
    std::string last = "1";
    for (size_t axis = 0; axis < functor.digits.size(); ++axis) {
      last = step.extent(functor.digits.size() == 1 ? "elements" : fmt::format("axis_{}", axis),
                         functor.digits[axis].extent);
      extents += (axis == 0 ? "" : ", ") + last;
    }
    const std::string vectorised = prove_vectorised(step, last, {{&functor, "map"}});
    step.launch(fmt::format("const stitch::MapShape<{}> shape{{{{{}}}, {}}};", rank, extents.empty() ? "1" : extents,
                            vectorised));
    step.launch(fmt::format("return stitch::launch_map<{}{}>(map, shape, stream);", rank,
                            functor.takes_lanes ? "" : ", 1"));
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pointwise_map() { return std::make_unique<PointwiseMap>(); }

}  // namespace stitch::kernels
