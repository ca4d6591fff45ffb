// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "elf/policy/policy.h"

namespace stitch::elf {
namespace {

// What g++ 12 and PyTorch 2.13 make of a short extension.
LibraryFacts honest_extension() {
  LibraryFacts facts;
  facts.exports = {"PyInit_mine"};
  facts.imports = {{"_Znwm", "libstdc++.so.6"},
                   {"stitch_emulator_launch", ""},
                   {"threadIdx", ""},
                   {"PyModule_AddObject", ""},
                   {"_Py_Dealloc", ""},
                   {"__gmon_start__", ""},
                   {"_ZNK2at10TensorBase8data_ptrIfEEPT_v", ""},
                   {"_ZN2at4_ops10empty_like4callERKNS_6TensorESt8optionalIN3c1010ScalarTypeEE", ""},
                   {"_ZN2at4_ops2mm4callERKNS_6TensorES4_", ""},  // is seen when it runs
                   {"_ZN3c106detail14torchCheckFailEPKcS2_jS2_", ""},
                   {"_ZTVN3c105ErrorE", ""},
                   {"_ZN8pybind116detail11type_casterIN2at6TensorEvE4loadENS_6handleEb", ""}};
  facts.needed = {"libc10.so", "libtorch_cpu.so", "libtorch_python.so", "libstdc++.so.6", "libgcc_s.so.1", "libc.so.6"};
  return facts;
}

// What nvcc 13.0 and g++ 12 make of one with a kernel, a guard of the device and PyTorch's handle of cuBLAS.
LibraryFacts honest_on_cuda() {
  LibraryFacts facts = honest_extension();
  std::erase_if(facts.imports, [](const Import& import) {
    return import.name == "stitch_emulator_launch" || import.name == "threadIdx";
  });
  for (const char* name :
       {"_ZN3c104cuda20getCurrentCUDAStreamEa", "_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb",
        "_ZN3c104cuda4impl21CUDAGuardImplRegistryE", "_ZN2at4cuda26getCurrentDevicePropertiesEv",
        "_ZN2at4cuda24getCurrentCUDABlasHandleEb", "_ZN2at4cuda4blas19_cublasGetErrorEnumE14cublasStatus_t"}) {
    facts.imports.push_back({name, ""});
  }
  for (const char* name : {"cudaLaunchKernel", "__cudaRegisterFatBinary", "__cudaPushCallConfiguration"}) {
    facts.imports.push_back({name, "libcudart.so.13"});
  }
  facts.imports.push_back({"cublasSgemm_v2", "libcublas.so.13"});
  for (const char* name : {"_ZTIb", "_ZTIPKc", "_ZSt4cout", "_ZNSt9exceptionD2Ev", "__gxx_personality_v0"}) {
    facts.imports.push_back({name, "libstdc++.so.6"});
  }
  facts.imports.push_back({"memcpy", "libc.so.6"});
  facts.imports.push_back({"__cxa_finalize", "libc.so.6"});
  facts.imports.push_back({"_Unwind_Resume", "libgcc_s.so.1"});
  facts.needed.insert(facts.needed.end(),
                      {"libc10_cuda.so", "libtorch_cuda.so", "libtorch.so", "libcudart.so.13", "libcublas.so.13"});
  facts.has_gpu_code = true;
  return facts;
}

// What gcc makes of a module by which Triton launches a kernel.
LibraryFacts launcher() {
  LibraryFacts facts;
  facts.exports = {"PyInit___triton_launcher"};
  facts.imports = {{"PyArg_ParseTuple", ""}, {"_Py_Dealloc", ""},     {"cuLaunchKernel", ""}, {"cuGetErrorString", ""},
                   {"strlen", "libc.so.6"},  {"dlopen", "libc.so.6"}, {"dlsym", "libc.so.6"}, {"__gmon_start__", ""}};
  facts.needed = {"libcuda.so.1", "libc.so.6"};
  return facts;
}

std::string refusal_on_cuda(LibraryFacts facts, const std::string& name = "", const std::string& library = "") {
  if (!name.empty()) {
    facts.imports.push_back({name, library});
  }
  return extension_refusal(facts, ExtensionDevice::kCuda).value_or("");
}

std::string refusal_of_import(const std::string& name, const std::string& library = "") {
  LibraryFacts facts = honest_extension();
  facts.imports.push_back({name, library});
  return extension_refusal(facts).value_or("");
}

TEST(ExtensionPolicyTest, AnHonestOnePasses) {
  EXPECT_EQ(extension_refusal(honest_extension()).value_or(""), "");
  for (const char* name : {"_ZN3c10lsERSoNS_11DispatchKeyE", "_ZN3c104warnERKNS_7WarningE", "cudaGetLastError",
                           "_ZN5torch7LibraryC1ENS0_4KindESs", "_ZN2at11TensorMaker11make_tensorEv"}) {
    EXPECT_EQ(refusal_of_import(name), "") << name;
  }
}

TEST(ExtensionPolicyTest, WhatRunsPastTheObserver) {
  for (const char* name :
       {"_ZN2at3cpu2mmERKNS_6TensorES3_", "_ZN2at6native6matmulERKNS_6TensorES3_", "sgemm_", "cblas_sgemm",
        "_ZN2at4_ops2mm10redispatchEN3c1014DispatchKeySetERKNS_6TensorES6_", "_ZN2at14clearCallbacksEv",
        "_ZN2at20enableRecordFunctionEb", "_ZN3c1010Dispatcher13realSingletonEv", "_ZN4dnnl6matmulC1Ev",
        "aoti_torch_cpu_mm_out", "_ZN5torch3jit4loadERKSs"}) {
    EXPECT_NE(refusal_of_import(name), "") << name;
  }
  EXPECT_NE(refusal_of_import("_ZN2at3cpu2mmERKNS_6TensorES3_").find("at::cpu::mm"), std::string::npos);
}

TEST(ExtensionPolicyTest, WhatPythonsObserversDoNotSee) {
  for (const char* name : {"_PySys_ClearAuditHooks", "PyRun_SimpleStringFlags", "_PyRuntime"}) {
    EXPECT_NE(refusal_of_import(name).find(name), std::string::npos) << name;
  }
}

TEST(ExtensionPolicyTest, WhatHoldsForEveryLibrary) {
  for (const char* name : {"system", "dlsym", "mprotect", "syscall"}) {
    EXPECT_NE(refusal_of_import(name, "libc.so.6").find(name), std::string::npos) << name;
  }
  LibraryFacts facts = honest_extension();
  facts.needed.push_back("libmkl_rt.so");
  EXPECT_NE(extension_refusal(facts).value_or("").find("libmkl_rt.so"), std::string::npos);
  facts = honest_extension();
  facts.imports.erase(facts.imports.begin() + 1);
  EXPECT_NE(extension_refusal(facts).value_or("").find("launches no kernel"), std::string::npos);
}

TEST(ExtensionPolicyTest, OnAGpuHandlesAndLibrariesOfCudaPassAndKernelsOfPyTorchDoNot) {
  EXPECT_EQ(refusal_on_cuda(honest_on_cuda()), "");
  EXPECT_NE(extension_refusal(honest_on_cuda()).value_or(""), "");  // there are none on the emulated device
  for (const char* name :
       {"_ZN2at4cuda4blas4gemmIfEEvcclllfPKT_lS5_lfPS3_l", "_ZN2at4cuda5addmmERKNS_6TensorES3_S3_RKN3c106ScalarES7_",
        "_ZN2at6native13linear_kernelERKNS_6TensorES3_", "_ZN2at6linearERKNS_6TensorES2_RKSt8optionalIS0_E",
        "_ZN2at4_ops2mm10redispatchEN3c1014DispatchKeySetERKNS_6TensorES6_", "_ZN2at14clearCallbacksEv", "magma_sgemm",
        "aoti_torch_cuda_mm_out", "_ZN2at4cuda7jiterator6launchEv", "sgemm_", "uv_spawn"}) {
    EXPECT_NE(refusal_on_cuda(honest_on_cuda(), name), "") << name;
  }
  EXPECT_NE(refusal_on_cuda(honest_on_cuda(), "dlsym", "libc.so.6").find("dlsym"), std::string::npos);
}

TEST(ExtensionPolicyTest, AVersionIsNoPassport) {
  for (const auto& [name, library] : {std::pair{"_ZN2at3cpu5addmmERKNS_6TensorES3_S3_", "libc.so.6"},
                                      {"sgemm_", "libm.so.6"},
                                      {"mkl_blas_sgemm", "libcudart.so.13"},
                                      {"aoti_torch_cpu_mm_out", "libtorch_cpu.so"}}) {
    EXPECT_NE(refusal_on_cuda(honest_on_cuda(), name, library).find("the extension imports"), std::string::npos)
        << name;
    EXPECT_NE(refusal_of_import(name, library).find("the extension imports"), std::string::npos) << name;
  }
}

TEST(ExtensionPolicyTest, TritonsModulesMayAskTheLoaderForTheDriver) {
  EXPECT_EQ(refusal_on_cuda(launcher()), "");
  EXPECT_NE(extension_refusal(launcher()).value_or(""), "");
  for (const char* name : {"_PySys_ClearAuditHooks", "system", "mmap", "_ZN2at6linearEv", "sgemm_"}) {
    EXPECT_NE(refusal_on_cuda(launcher(), name, "libc.so.6"), "") << name;
  }
  LibraryFacts facts = launcher();
  facts.names_torch = true;
  EXPECT_NE(refusal_on_cuda(facts).find("dlopen"), std::string::npos);
  facts = launcher();
  facts.needed.push_back("libtorch_cuda.so");
  EXPECT_NE(refusal_on_cuda(facts).find("dlopen"), std::string::npos);
  facts = launcher();
  facts.run_paths = {"/tmp"};
  EXPECT_NE(refusal_on_cuda(facts).find("/tmp"), std::string::npos);
}

}  // namespace
}  // namespace stitch::elf
