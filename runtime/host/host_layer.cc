// SPDX-License-Identifier: Apache-2.0
// stitch_host.h over the graph cache.
#include <new>

#include "host/graph_cache.h"
#include "stitch_host.h"

struct StitchGraphs {
  stitch::GraphCache cache;
};

namespace {

StitchGraphs* create_graphs(const StitchProgramV1* program, StitchHandle* handle) {
  if (program == nullptr || handle == nullptr) {
    return nullptr;
  }
  return new (std::nothrow) StitchGraphs{stitch::GraphCache(program, handle)};
}

int run(StitchGraphs* graphs, const StitchCall* call) {
  return graphs == nullptr || call == nullptr ? STITCH_INVALID_ARGUMENT : graphs->cache.run(*call);
}

void clear(StitchGraphs* graphs) {
  if (graphs != nullptr) {
    graphs->cache.clear();
  }
}

uint64_t replays(const StitchGraphs* graphs) { return graphs == nullptr ? 0 : graphs->cache.replays(); }

void destroy_graphs(StitchGraphs* graphs) { delete graphs; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const StitchHostV1* stitch_host_v1(void) {
  static const StitchHostV1 host{
      sizeof(StitchHostV1), STITCH_ABI_VERSION, create_graphs, run, clear, replays, destroy_graphs,
  };
  return &host;
}
