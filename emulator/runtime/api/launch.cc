// SPDX-License-Identifier: Apache-2.0
// Kernel launches: checks of the configuration, then block after block.
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>

#include "access/accesses.h"
#include "api/state.h"
#include "block/cluster.h"
#include "block/shared.h"
#include "block/state.h"
#include "block/variables.h"
#include "control/apart.h"
#include "control/counts.h"
#include "control/launch_ledger.h"
#include "control/tape.h"
#include "fault/fault.h"
#include "updates/host_memory.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

cudaError_t refuse(cudaError_t error, const char* message, const KernelCall& call) {
  record_fault(message, call.file, call.line);
  return error;
}

uint64_t count_of(dim3 extents) { return static_cast<uint64_t>(extents.x) * extents.y * extents.z; }

cudaError_t check_cluster(const LaunchConfig& config, const KernelCall& call) {
  const dim3 cluster = config.cluster;
  const dim3 grid = config.grid;
  char message[256];
  if (count_of(cluster) == 0 || count_of(cluster) > kMaxClusterBlocks) {
    snprintf(message, sizeof(message), "a cluster of %u x %u x %u blocks was launched; it may have 1 to %u blocks",
             cluster.x, cluster.y, cluster.z, kMaxClusterBlocks);
    return refuse(cudaErrorInvalidClusterSize, message, call);
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    snprintf(message, sizeof(message), "a grid of %u x %u x %u blocks does not consist of clusters of %u x %u x %u",
             grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z);
    return refuse(cudaErrorInvalidValue, message, call);
  }
  return cudaSuccess;
}

// An H200 with driver 580 answers all three with cudaErrorInvalidValue.
cudaError_t check_shape(const LaunchConfig& config, const KernelCall& call) {
  const dim3 block = config.block;
  const dim3 grid = config.grid;
  char message[256];
  const uint64_t threads = static_cast<uint64_t>(block.x) * block.y * block.z;
  const auto most = static_cast<uint64_t>(settings.limits.threads_per_block);
  if (threads == 0 || threads > most || block.z > 64) {
    snprintf(message, sizeof(message), "a block of %u x %u x %u threads was launched; it may have 1 to %llu threads",
             block.x, block.y, block.z, static_cast<unsigned long long>(most));
    return refuse(cudaErrorInvalidValue, message, call);
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) {
    snprintf(message, sizeof(message),
             "a grid of %u x %u x %u blocks was launched; it may have 1 to 2147483647 x "
             "65535 x 65535 blocks",
             grid.x, grid.y, grid.z);
    return refuse(cudaErrorInvalidValue, message, call);
  }
  if (config.shared_bytes > allowed_dynamic_shared(call.function)) {
    snprintf(message, sizeof(message),
             "%zu bytes of dynamic shared memory exceed the %zu this kernel may use; raise it with "
             "cudaFuncAttributeMaxDynamicSharedMemorySize",
             config.shared_bytes, allowed_dynamic_shared(call.function));
    return refuse(cudaErrorInvalidValue, message, call);
  }
  return check_cluster(config, call);
}

// Visits every block once: in order, or in an order drawn from the seed.
class BlockOrder {
 public:
  BlockOrder(uint64_t count, uint64_t seed) : count_(count) {
    if (seed == 0 || count < 2) {
      return;
    }
    start_ = seed % count;
    step_ = (seed >> 17) % count | 1;
    while (std::gcd(step_, count) != 1) {
      ++step_;
    }
  }
  uint64_t block(uint64_t number) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(number) * step_ + start_) % count_);
  }

 private:
  uint64_t count_;
  uint64_t start_ = 0;
  uint64_t step_ = 1;
};

uint64_t mixed(uint64_t seed, uint64_t number) {
  uint64_t z = seed + number * 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

uint3 index_in(dim3 extents, uint64_t number) {
  return {static_cast<unsigned int>(number % extents.x), static_cast<unsigned int>(number / extents.x % extents.y),
          static_cast<unsigned int>(number / extents.x / extents.y)};
}

// False when a fault ended it.
bool run_one_block(const KernelCall& call, dim3 grid, uint64_t number) {
  current_block_index = index_in(grid, number);
  refill_shared();
  begin_block_updates(number);
  begin_block_accesses();
  ++counts.blocks;
  if (!run_block(call)) {
    return false;
  }
  end_block_updates();
  end_block_accesses();
  return true;
}

bool run_one_cluster(const KernelCall& call, const LaunchConfig& config, dim3 clusters, uint64_t number) {
  const dim3 shape = config.cluster;
  const uint3 index = index_in(clusters, number);
  return run_cluster(call, shape, {index.x * shape.x, index.y * shape.y, index.z * shape.z});
}

cudaError_t run_blocks(const LaunchConfig& config, const KernelCall& call) {
  const uint64_t seed = settings.schedule_seed == 0 ? 0 : mixed(settings.schedule_seed, counts.launches) | 1;
  const dim3 grid = config.grid;
  const dim3 shape = config.cluster;
  const dim3 clusters(grid.x / shape.x, grid.y / shape.y, grid.z / shape.z);
  prepare_blocks(config.block, seed);
  prepare_shared(config.shared_bytes, config.shared_bytes > settings.limits.static_shared_bytes);
  current_block_shape = config.block;
  current_grid_shape = grid;
  begin_launch_updates();
  begin_launch_host_memory(call.closure);
  begin_launch_accesses(config.shared_bytes);
  const bool are_alone = count_of(shape) == 1;
  const BlockOrder order(count_of(clusters), seed);
  for (uint64_t number = 0; number < count_of(clusters); ++number) {
    const uint64_t index = order.block(number);
    const bool went_well =
        are_alone ? run_one_block(call, grid, index) : run_one_cluster(call, config, clusters, index);
    if (!went_well) {
      return cudaErrorLaunchFailure;
    }
  }
  counts.threads += count_of(grid) * count_of(config.block);
  return cudaSuccess;
}

// Whether this thread runs a kernel: another one of the host may be waiting for its turn meanwhile. Fibers stay on the
// thread that launched them.
thread_local bool is_launching = false;

class Launching {
 public:
  Launching() { is_launching = true; }
  ~Launching() { is_launching = false; }
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;
};

}  // namespace

cudaError_t run_launch(const LaunchConfig& config, const KernelCall& call) {
  if (is_launching) {
    fault("a kernel launched a kernel; dynamic parallelism is not supported", call.file, call.line);
  }
  if (kernel_faulted()) {
    return cudaErrorLaunchFailure;
  }
  // One arena and one set of fibers serve the process: host threads that launch at the same time take turns.
  static std::mutex device;
  const std::lock_guard<std::mutex> turn(device);
  const Launching launching;
  install_signal_handlers();
  install_watchdog();
  if (kernels_are_left_out() || is_left_out(call.name, call.file, call.line)) {
    return cudaSuccess;
  }
  running_launch = {call.name, call.file, call.line};
  ++counts.launches;
  const DeviceAccess access;
  LedgerEntry entry(call.name, call.file, call.line);
  const cudaError_t result = run_blocks(config, call);
  entry.did(end_launch_accesses());
  entry.used_shared(config.shared_bytes + declared_shared_bytes());
  running_launch = {nullptr, nullptr, 0};
  return result;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" const char* stitch_second_argument(const char* arguments) {
  static std::mutex together;
  static std::set<std::string> known;  // for as long as a launch may name them
  std::string found;
  int depth = 0;
  int number = 0;
  for (const char* at = arguments; *at != '\0'; ++at) {
    depth += *at == '(' || *at == '<' || *at == '{' || *at == '[' ? 1 : 0;
    depth -= *at == ')' || *at == '>' || *at == '}' || *at == ']' ? 1 : 0;
    if (*at == ',' && depth == 0) {
      ++number;
    } else if (number == 1 && !(found.empty() && *at == ' ')) {
      found += *at;
    }
  }
  const std::lock_guard<std::mutex> lock(together);
  return known.insert(found).first->c_str();
}

extern "C" cudaError_t stitch_emulator_launch(const LaunchConfig* config, const KernelCall* call) {
  const cudaError_t shape = check_shape(*config, *call);
  if (shape != cudaSuccess) {
    return report(shape);
  }
  if (capture_of(config->stream) == nullptr && !keeps_commands()) {
    if (!valid_stream(config->stream)) {
      return report(cudaErrorInvalidResourceHandle);
    }
    return report(run_launch(*config, *call));
  }
  // A capture outlives the caller's arguments, and so does a command that is kept: take a copy of them.
  const std::shared_ptr<void> closure(call->copy(call->closure), call->destroy);
  KernelCall kept = *call;
  kept.closure = closure.get();
  return enqueue(config->stream, [kept, closure, config = *config] { return run_launch(config, kept); });
}
