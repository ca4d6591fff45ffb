// SPDX-License-Identifier: Apache-2.0
#include "kernels/builtin_templates.h"

#include "kernels/attention/attention.h"
#include "kernels/conv/convolution.h"
#include "kernels/conv/mapped.h"
#include "kernels/conv/moments.h"
#include "kernels/conv/normed.h"
#include "kernels/conv/pooled.h"
#include "kernels/conv/windowed.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_double.h"
#include "kernels/linalg/linalg.h"
#include "kernels/loss/nll_loss.h"
#include "kernels/movement/cat.h"
#include "kernels/norm/layer_norm.h"
#include "kernels/norm/pooled.h"
#include "kernels/pointwise/map.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/positions.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_double.h"
#include "kernels/resample/interpolate.h"
#include "kernels/rnn/recurrent_layer.h"
#include "kernels/rnn/recurrent_stack.h"
#include "kernels/scan/scan.h"
#include "kernels/scatter/scatter.h"
#include "kernels/softmax/softmax.h"
#include "kernels/sort/sort.h"
#include "kernels/written/written.h"

namespace stitch::kernels {

const std::vector<std::unique_ptr<KernelTemplate>>& builtin_templates() {
  static const auto templates = [] {
    std::vector<std::unique_ptr<KernelTemplate>> list;
    list.push_back(make_gemm());
    list.push_back(make_gemm_double());
    list.push_back(make_convolution());
    list.push_back(make_pooled_convolution());
    list.push_back(make_windowed_convolution());
    list.push_back(make_convolution_moments());
    list.push_back(make_normed_convolution());
    list.push_back(make_mapped_convolution());
    list.push_back(make_attention());
    list.push_back(make_recurrent_layer());
    list.push_back(make_recurrent_stack());
    list.push_back(make_reduce());
    list.push_back(make_reduce_double());
    list.push_back(make_reduce_positions());
    list.push_back(make_scan());
    list.push_back(make_sort());
    list.push_back(make_linalg());
    list.push_back(make_scatter());
    list.push_back(make_softmax());
    list.push_back(make_layer_norm());
    list.push_back(make_pooled_layer_norm());
    list.push_back(make_pool());
    list.push_back(make_interpolate());
    list.push_back(make_nll_loss());
    list.push_back(make_cat());
    list.push_back(make_pointwise_map());
    list.push_back(make_written(&template_for));
    return list;
  }();
  return templates;
}

const KernelTemplate* find_template(const std::string& name) {
  for (const auto& candidate : builtin_templates()) {
    if (name == candidate->name()) {
      return candidate.get();
    }
  }
  return nullptr;
}

const KernelTemplate* template_for(const ir::Graph& graph, const ir::Node& node) {
  for (const auto& candidate : builtin_templates()) {
    if (candidate->is_root(graph, node)) {
      return candidate.get();
    }
  }
  return nullptr;
}

}  // namespace stitch::kernels
