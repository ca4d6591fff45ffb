// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "elf/policy/policy.h"

namespace stitch::elf {
namespace {

// What g++ 12 and PyTorch 2.13 make of a short extension.
LibraryFacts honest() {
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

std::string refusal_with_import(const std::string& name, const std::string& library = "") {
  LibraryFacts facts = honest();
  facts.imports.push_back({name, library});
  return extension_refusal(facts).value_or("");
}

TEST(ExtensionPolicyTest, AnHonestOnePasses) {
  EXPECT_EQ(extension_refusal(honest()).value_or(""), "");
  for (const char* name : {"_ZN3c10lsERSoNS_11DispatchKeyE", "_ZN3c104warnERKNS_7WarningE", "cudaGetLastError",
                           "_ZN5torch7LibraryC1ENS0_4KindESs", "_ZN2at11TensorMaker11make_tensorEv"}) {
    EXPECT_EQ(refusal_with_import(name), "") << name;
  }
}

TEST(ExtensionPolicyTest, WhatRunsPastTheObserver) {
  for (const char* name :
       {"_ZN2at3cpu2mmERKNS_6TensorES3_", "_ZN2at6native6matmulERKNS_6TensorES3_", "sgemm_", "cblas_sgemm",
        "_ZN2at4_ops2mm10redispatchEN3c1014DispatchKeySetERKNS_6TensorES6_", "_ZN2at14clearCallbacksEv",
        "_ZN2at20enableRecordFunctionEb", "_ZN3c1010Dispatcher13realSingletonEv", "_ZN4dnnl6matmulC1Ev",
        "aoti_torch_cpu_mm_out", "_ZN5torch3jit4loadERKSs"}) {
    EXPECT_NE(refusal_with_import(name), "") << name;
  }
  EXPECT_NE(refusal_with_import("_ZN2at3cpu2mmERKNS_6TensorES3_").find("at::cpu::mm"), std::string::npos);
}

TEST(ExtensionPolicyTest, WhatPythonsObserversDoNotSee) {
  for (const char* name : {"_PySys_ClearAuditHooks", "PyRun_SimpleStringFlags", "_PyRuntime"}) {
    EXPECT_NE(refusal_with_import(name).find(name), std::string::npos) << name;
  }
}

TEST(ExtensionPolicyTest, WhatHoldsForEveryLibrary) {
  for (const char* name : {"system", "dlsym", "mprotect", "syscall"}) {
    EXPECT_NE(refusal_with_import(name, "libc.so.6").find(name), std::string::npos) << name;
  }
  LibraryFacts facts = honest();
  facts.needed.push_back("libmkl_rt.so");
  EXPECT_NE(extension_refusal(facts).value_or("").find("libmkl_rt.so"), std::string::npos);
  facts = honest();
  facts.imports.erase(facts.imports.begin() + 1);
  EXPECT_NE(extension_refusal(facts).value_or("").find("launches no kernel"), std::string::npos);
}

}  // namespace
}  // namespace stitch::elf
