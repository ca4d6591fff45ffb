// SPDX-License-Identifier: Apache-2.0
#include "train/parallel/backend.h"

#include <cstdlib>

#ifdef STITCH_GLOO
#define USE_C10D_GLOO 1
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef STITCH_NCCL
#define USE_C10D_NCCL 1
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace stitch::train {

#ifdef STITCH_GLOO

namespace {

std::shared_ptr<gloo::transport::Device> network_of(const GroupPlace& place) {
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  const bool is_loopback = place.address == "127.0.0.1" || place.address == "localhost";
  return interface != nullptr && *interface != 0 ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
         : is_loopback                           ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                                 : c10d::ProcessGroupGloo::createDefaultDevice();
}

}  // namespace

BackendPointer gloo_backend(const BackendRequest& request) {
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(network_of(request.place));
  options->timeout = request.patience;
  return c10::make_intrusive<c10d::ProcessGroupGloo>(request.store, static_cast<int>(request.place.rank),
                                                     static_cast<int>(request.place.size), options);
}

#else

BackendPointer gloo_backend(const BackendRequest&) { return {}; }

#endif

#ifdef STITCH_NCCL

BackendPointer nccl_backend(const BackendRequest& request) {
  // Otherwise a thread of c10d's ends this process where another one is lost, before anybody can say why.
  ::setenv("TORCH_NCCL_BLOCKING_WAIT", "1", 0);
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = request.patience;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(request.store, static_cast<int>(request.place.rank),
                                                     static_cast<int>(request.place.size), std::move(options));
}

#else

BackendPointer nccl_backend(const BackendRequest&) { return {}; }

#endif

}  // namespace stitch::train
