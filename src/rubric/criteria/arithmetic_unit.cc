// SPDX-License-Identifier: Apache-2.0
// Products on tensor cores, in libraries, in tiles, or one by one.
#include <fmt/format.h>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {
namespace {

constexpr double kMostlyProducts = 0.5;
constexpr double kFlopsOfAnOperation = 2.0 * 16 * 8 * 8;  // the smallest one: m16n8k8
constexpr double kRealShare = 0.25;                       // below it tensor cores are decoration

}  // namespace

Mark score_arithmetic_unit(const Facts& facts) {
  if (!facts.workload.has_value() || !facts.launches.has_value()) {
    return no_mark("launches or the reference's work were not listed");
  }
  const Workload& work = *facts.workload;
  if (work.contraction_flops < kMostlyProducts * work.flops || work.contraction_flops == 0) {
    return no_mark("the work is not made of products");
  }
  const Executed ran = executed(facts);
  const double on_tensor_cores = static_cast<double>(ran.matrix_operations) * kFlopsOfAnOperation;
  const bool is_ours = !facts.plan.empty();  // judged at reduced sizes, so that the sums do not compare
  if (ran.matrix_operations > 0 && (is_ours || on_tensor_cores >= kRealShare * work.contraction_flops)) {
    return mark(5, fmt::format("{} operations of tensor cores ran", ran.matrix_operations), {ran.heaviest});
  }
  if (ran.library_flops >= kMostlyProducts * (is_ours ? 1 : work.contraction_flops) && ran.library_launches > 0) {
    return mark(ran.library_epilogues > 0 ? 5 : 4, "a library's product runs on the unit it chose",
                {"launches: library"});
  }
  if (ran.matrix_operations > 0) {
    return mark(2, "tensor cores ran for a small part of the products only", {ran.heaviest});
  }
  if (ran.kernels == 0) {
    return no_mark("no kernel of its own ran");
  }
  const bool is_tiled = ran.shared_bytes > 0 && ran.barriers > 0;
  return mark(is_tiled ? 3 : 2,
              is_tiled ? "products of scalars on tiles in shared memory" : "products of scalars, one by one",
              {ran.heaviest});
}

}  // namespace stitch::rubric
