# SPDX-License-Identifier: Apache-2.0
# LibTorch of the PyTorch wheel in .venv, for src/train alone: the target stitch_torch, or none where it is not wanted
# (STITCH_TRAIN=OFF), not found, or would be mixed with sanitizers that it was not built with.
#
# The target is made here, as torch.utils.cpp_extension makes its command lines. Torch's own package file asks for the CUDA
# toolkit that the wheel was built with and for libraries that no wheel carries any longer (nvToolsExt, pytorch#116242).
include_guard(GLOBAL)

set(STITCH_TRAIN AUTO CACHE STRING "Build stitchcuda-train, which needs LibTorch: AUTO (where it is found), ON or OFF")
set(STITCH_TORCH "" CACHE PATH "Folder of the package torch (with include/ and lib/); empty: that of .venv's Python")
set(STITCH_TORCH_OLDEST 2.11)

# Sets `folder` and `version`, both empty where there is none, and `missing`, a sentence.
function(stitch_find_torch)
  set(folder "${STITCH_TORCH}")
  set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  if(NOT folder AND EXISTS ${python})  # without importing it, which takes seconds
    execute_process(COMMAND ${python} -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
                    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(version)
  if(EXISTS "${folder}/version.py")
    file(STRINGS "${folder}/version.py" line REGEX "^__version__ = ")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${line}")
  endif()
  set(missing)
  if(NOT version OR NOT EXISTS "${folder}/include/ATen/ATen.h" OR NOT EXISTS "${folder}/lib/libtorch_cpu.so")
    set(missing "no PyTorch with headers in .venv (run tools/setup, or set STITCH_TORCH)")
  elseif(version VERSION_LESS STITCH_TORCH_OLDEST)
    set(missing "PyTorch ${version} in ${folder} is older than ${STITCH_TORCH_OLDEST}")
  endif()
  set(folder "${folder}" PARENT_SCOPE)
  set(version "${version}" PARENT_SCOPE)
  set(missing "${missing}" PARENT_SCOPE)
endfunction()

function(stitch_add_torch)
  add_library(stitch_torch INTERFACE)
  # Searched last: torch/include has a {fmt} of its own, whose functions our archive of {fmt} does not have.
  target_compile_options(stitch_torch INTERFACE "SHELL:-idirafter ${folder}/include"
                         "SHELL:-idirafter ${folder}/include/torch/csrc/api/include")
  # With the C++ runtime that LibTorch's libraries use: their exceptions are caught here.
  set_property(TARGET stitch_torch PROPERTY INTERFACE_STITCH_SHARED_RUNTIME ON)
  set_property(TARGET stitch_torch APPEND PROPERTY COMPATIBLE_INTERFACE_BOOL STITCH_SHARED_RUNTIME)
  foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
    if(EXISTS "${folder}/lib/lib${name}.so")
      add_library(stitch_torch_${name} SHARED IMPORTED GLOBAL)
      set_target_properties(stitch_torch_${name} PROPERTIES IMPORTED_LOCATION "${folder}/lib/lib${name}.so")
      list(APPEND libraries stitch_torch_${name})
    endif()
  endforeach()
  # Nothing names a function of libtorch_cuda: it registers its kernels when it is loaded.
  target_link_options(stitch_torch INTERFACE LINKER:--no-as-needed)
  # Before LibTorch, which shows functions of an older std::filesystem that it has within: what our std::filesystem calls
  # inside of libstdc++ would be bound to those, and removing a folder would crash.
  target_link_options(stitch_torch INTERFACE LINKER:-lstdc++)
  # What LibTorch's own libraries need of CUDA lies where they look for it, and need not be here.
  target_link_options(stitch_torch INTERFACE LINKER:--allow-shlib-undefined)
  target_link_libraries(stitch_torch INTERFACE ${libraries} Threads::Threads)
endfunction()

# c10d's NCCL is in a LibTorch with CUDA; its header wants NCCL's and CUDA's, which the packages that PyTorch depends on
# bring along, beside it, and a CUDA toolkit likewise. Sets `STITCH_NCCL_HEADERS`, their folders: empty where one lacks.
function(stitch_find_nccl)
  set(STITCH_NCCL_HEADERS "" PARENT_SCOPE)
  if(NOT TARGET stitch_torch_torch_cuda)
    return()
  endif()
  get_target_property(library stitch_torch_torch_cuda IMPORTED_LOCATION)
  cmake_path(GET library PARENT_PATH packages)
  file(GLOB places ${packages}/../../nvidia/*/include)
  list(APPEND places $ENV{CUDA_HOME}/include /usr/local/cuda/include)
  list(TRANSFORM places APPEND /cccl OUTPUT_VARIABLE nested)
  set(found)
  unset(headers)
  foreach(header nccl.h cuda_runtime.h crt/host_config.h nv/target cublas_v2.h cusparse.h cusolverDn.h)
    find_path(headers ${header} PATHS ${places} ${nested} NO_CACHE)
    if(NOT headers)
      message(STATUS "Training by several GPUs: over Gloo, since there is no ${header}")
      return()
    endif()
    list(APPEND found ${headers})
    unset(headers)
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(STITCH_NCCL_HEADERS ${found} PARENT_SCOPE)
endfunction()

if(NOT STITCH_TRAIN STREQUAL "OFF")
  if(STITCH_SANITIZE OR STITCH_SANITIZE_THREADS OR SKBUILD)
    set(missing "not in this kind of build")
  else()
    stitch_find_torch()
  endif()
  if(NOT missing)
    message(STATUS "LibTorch ${version}: ${folder}")
    stitch_add_torch()
  elseif(STITCH_TRAIN STREQUAL "ON")
    message(FATAL_ERROR "STITCH_TRAIN=ON: ${missing}")
  else()
    message(STATUS "stitchcuda-train is left out: ${missing}")
  endif()
endif()

# stitch_uses_torch(TARGETS...): one file after another, since each takes the compiler 1.5 GB, and LibTorch's headers are
# parsed once for all of them.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS stitch_torch=1)
# ccache keeps what was compiled with them only when it is told so, and when the compiler is.
function(stitch_uses_torch)
  foreach(target ${ARGN})
    set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE stitch_torch JOB_POOL_PRECOMPILE_HEADER stitch_torch)
    # What programs are compiled with by itself differs, and then the headers would be parsed once more.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    if(CCACHE_PROGRAM)
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE_PROGRAM}")
    endif()
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(${target} PRIVATE -O1)
    endif()
    if(target STREQUAL ARGV0)
      target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/train/torch/torch.h)
    else()
      target_precompile_headers(${target} REUSE_FROM ${ARGV0})
    endif()
  endforeach()
endfunction()
