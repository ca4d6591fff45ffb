// SPDX-License-Identifier: Apache-2.0
// Which of PyTorch's and Python's functions an extension module may import. A list of what may be: PyTorch exports
// thousands of kernels that no observer of operators sees.
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "elf/policy/policy.h"

namespace stitch::elf {
namespace {

constexpr std::array<std::string_view, 5> kTorchLibraries = {"libc10.so", "libtorch_cpu.so", "libtorch_python.so",
                                                             "libtorch.so", "libstitch_emulator.so"};

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
// Python's functions that take its audit hooks away, run text, or look into its state.
constexpr std::array<std::string_view, 9> kPythonForbidden = {
    "_PySys",          "PySys_",     "PyRun_",     "Py_CompileString",   "PyEval_EvalCode",
    "PyEval_SetTrace", "_PyRuntime", "PyMarshal_", "_PyInterpreterState"};

template <size_t N>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, N>& beginnings) {
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

bool is_allowed(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) {
    return begins_with_one_of(symbol, kPlain) || symbol == "__gmon_start__";
  }
  const std::string name = qualified_name(demangled(symbol));
  if (begins_with_one_of(name, kDispatcher)) {
    return false;
  }
  return begins_with_one_of(name, kAllowed) || begins_with_one_of(name, kCore) || is_seen_operator(name);
}

}  // namespace

std::optional<std::string> extension_refusal(const LibraryFacts& facts) {
  for (const Import& import : facts.imports) {
    if (begins_with_one_of(import.name, kPythonForbidden)) {
      return fmt::format("the extension imports {}, which takes Python out of its observers' sight", import.name);
    }
    if (import.library.empty() && !is_allowed(import.name)) {
      const std::string name = demangled(import.name);
      return fmt::format(
          "the extension imports {}: it may call PyTorch's operators by their dispatcher alone, where "
          "each is seen",
          name.empty() ? import.name : name);
    }
  }
  return refusal_of_any(facts, CudaRuntime::kApart, LibraryUse::kProgram, kTorchLibraries);
}

}  // namespace stitch::elf
