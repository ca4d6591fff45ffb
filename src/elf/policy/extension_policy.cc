// SPDX-License-Identifier: Apache-2.0
// Which of PyTorch's and Python's functions an extension module may import. A list of what may be: PyTorch exports
// thousands of kernels that no observer of operators sees.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "elf/policy/driver_module.h"
#include "elf/policy/policy.h"

namespace stitch::elf {
namespace {

constexpr std::array<std::string_view, 5> kEmulatedLibraries = {"libc10.so", "libtorch_cpu.so", "libtorch_python.so",
                                                                "libtorch.so", "libstitch_emulator.so"};
constexpr std::array<std::string_view, 6> kCudaLibraries = {"libc10.so",   "libtorch_cpu.so", "libtorch_python.so",
                                                            "libtorch.so", "libc10_cuda.so",  "libtorch_cuda.so"};

// Beginnings of qualified names.
constexpr std::array<std::string_view, 34> kAllowed = {
    "std::", "__cxxabiv1::", "__gnu_cxx::", "operator new", "operator delete", "pybind11::", "caffe2::TypeMeta::",
    // memory, tensors and questions about them
    "at::Tensor::", "at::TensorBase::", "at::TensorMaker::", "at::TensorGeometry::", "at::TensorRef::",
    "at::DeprecatedTypeProperties", "at::globalDeprecatedTypePropertiesRegistry", "at::Generator", "at::operator",
    "at::print", "at::toString", "at::check", "at::internal::", "at::get_num_threads", "at::get_thread_num",
    "at::in_parallel_region", "at::SavedTensorDefaultHooks::", "at::functorch::functorchTLSAccessor",
    // operators and autograd functions of the candidate's own
    "torch::Library::", "torch::CppFunction::", "torch::autograd::", "torch::dynamo::autograd::", "torch::detail::",
    "torch::PyWarningHandler::", "torch::translate_exception_to_python", "torch::jit::parse", "torch::headeronly::"};
constexpr std::array<std::string_view, 3> kCore = {"c10::", "torch::detail::", "at::detail::raise"};
// Of c10, which is allowed otherwise: the dispatcher itself, by which a kernel runs without being seen.
constexpr std::array<std::string_view, 6> kDispatcher = {
    "c10::Dispatcher::",          "c10::OperatorHandle::", "c10::KernelFunction::",
    "c10::impl::OperatorEntry::", "c10::BoxedKernel::",    "c10::impl::ADInplaceOrView"};
// C functions that come without a version: Python's, CUDA's, and the emulator's.
constexpr std::array<std::string_view, 13> kPlain = {"Py",      "_Py",      "THPVariable", "cuda",     "cublasLt",
                                                     "cudnn",   "stitch_",  "threadIdx",   "blockIdx", "blockDim",
                                                     "gridDim", "warpSize", "_ITM_"};
// On a GPU also: what PyTorch tells of device, streams and handles, and graphs, whose operators are seen when they are
// captured.
constexpr std::array<std::string_view, 17> kAllowedOnCuda = {"at::cuda::getCurrentDeviceProperties",
                                                             "at::cuda::getDeviceProperties",
                                                             "at::cuda::warp_size",
                                                             "at::cuda::canDeviceAccessPeer",
                                                             "at::cuda::get_p2p_access",
                                                             "at::cuda::getCUDADeviceAllocator",
                                                             "at::cuda::getCurrentCUDABlasHandle",
                                                             "at::cuda::getCurrentCUDABlasLtHandle",
                                                             "at::cuda::getChosenWorkspaceSize",
                                                             "at::cuda::blas::_cublasGetErrorEnum",
                                                             "at::cuda::CUDAEvent::",
                                                             "at::cuda::CUDAGraph::",
                                                             "at::cuda::detail::getDefaultCUDAGenerator",
                                                             "at::cuda::detail::createCUDAGenerator",
                                                             "at::CUDAGeneratorImpl::",
                                                             "at::cuda::philox::",
                                                             "at::detail::empty_cuda"};
constexpr std::array<std::string_view, 2> kPlainOnCuda = {"cublas", "__cuda"};
// Of the C library, whose functions are looked for where they are said to come from.
constexpr std::array<const char*, 4> kLibrariesOfC = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libgcc_s.so.1"};
constexpr std::array<std::string_view, 4> kOfCxx = {"__cxa_", "__gxx_", "__dynamic_cast", "__once_proxy"};
// Python's functions that take its audit hooks away, run text, or look into its state.
constexpr std::array<std::string_view, 9> kPythonForbidden = {
    "_PySys",          "PySys_",     "PyRun_",     "Py_CompileString",   "PyEval_EvalCode",
    "PyEval_SetTrace", "_PyRuntime", "PyMarshal_", "_PyInterpreterState"};

template <size_t N>
bool has_prefix_of(std::string_view name, const std::array<std::string_view, N>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view each) { return name.starts_with(each); });
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string();
}

// "float* at::TensorBase::data_ptr<float>() const" -> "at::TensorBase::data_ptr": without what comes before and after
// the qualified name.
std::string qualified_name(const std::string& text) {
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 8, "operator") == 0 && depth == 0) {
      return text.substr(start, i + 8 - start) + text.substr(i + 8, text.find('(', i + 8) - i - 8);
    }
    if (text[i] == '(' && depth == 0) {
      return text.substr(start, i - start);
    }
    depth += text[i] == '<' || text[i] == '(' ? 1 : text[i] == '>' || text[i] == ')' ? -1 : 0;
    if (text[i] == ' ' && depth == 0) {
      start = i + 1;
    }
  }
  return text.substr(start);
}

// An operator of PyTorch by its dispatcher, where the observer sees it.
bool is_seen_operator(const std::string& name) { return name.starts_with("at::_ops::") && name.ends_with("::call"); }

bool is_plain(const std::string& name, ExtensionDevice device) {
  const bool is_of_cuda =
      device == ExtensionDevice::kCuda && (has_prefix_of(name, kPlainOnCuda) || is_driver_function(name));
  return has_prefix_of(name, kPlain) || is_of_cuda || name == "__gmon_start__";
}

bool is_of_c(const std::string& name) {
  return has_prefix_of(name, kOfCxx) ||
         std::any_of(kLibrariesOfC.begin(), kLibrariesOfC.end(), [&](const char* library) {
           void* const handle = ::dlopen(library, RTLD_LAZY);
           const bool is_there = handle != nullptr && ::dlsym(handle, name.c_str()) != nullptr;
           if (handle != nullptr) {
             ::dlclose(handle);
           }
           return is_there;
         });
}

// A version binds nothing by itself: the loader takes any function of that name from a library that has no versions, as
// PyTorch's have none. So a name with a version must be one of those that have some.
bool is_allowed(const Import& import, ExtensionDevice device) {
  if (!import.name.starts_with("_Z")) {
    return is_plain(import.name, device) || (!import.library.empty() && is_of_c(import.name));
  }
  const std::string text = demangled(import.name);
  if (text.starts_with("typeinfo ")) {  // no function; of "bool" too, by which exceptions are told apart
    return true;
  }
  const std::string name = qualified_name(text);
  if (has_prefix_of(name, kDispatcher)) {
    return false;
  }
  return has_prefix_of(name, kAllowed) || has_prefix_of(name, kCore) || is_seen_operator(name) ||
         (device == ExtensionDevice::kCuda && has_prefix_of(name, kAllowedOnCuda));
}

}  // namespace

std::optional<std::string> extension_refusal(const LibraryFacts& facts, ExtensionDevice device) {
  for (const Import& import : facts.imports) {
    if (has_prefix_of(import.name, kPythonForbidden)) {
      return fmt::format("the extension imports {}, which takes Python out of its observers' sight", import.name);
    }
  }
  if (device == ExtensionDevice::kCuda && is_driver_module(facts)) {
    LibraryFacts rest = facts;
    std::erase_if(rest.imports, [](const Import& import) { return is_look_up(import.name); });
    return refusal_of_any(rest, CudaRuntime::kApart, LibraryUse::kBesidePython, {});
  }
  for (const Import& import : facts.imports) {
    if (!is_allowed(import, device)) {
      const std::string name = demangled(import.name);
      return fmt::format(
          "the extension imports {}: it may call PyTorch's operators by their dispatcher alone, where "
          "each is seen",
          name.empty() ? import.name : name);
    }
  }
  const bool is_cuda = device == ExtensionDevice::kCuda;
  const std::span<const std::string_view> libraries = is_cuda ? std::span<const std::string_view>(kCudaLibraries)
                                                              : std::span<const std::string_view>(kEmulatedLibraries);
  return refusal_of_any(facts, CudaRuntime::kApart, LibraryUse::kProgram, libraries);
}

}  // namespace stitch::elf
