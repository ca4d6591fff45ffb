# SPDX-License-Identifier: Apache-2.0
# Finds what there is of a CUDA toolkit: CUDA_HOME, CUDA_PATH, the folder of nvcc on PATH, .venv's nvidia packages,
# /usr/local/cuda. Nothing found is no error: what needs it is then not built, and `stitchcuda doctor` says so.
#   STITCH_CUDA_INCLUDE     folder of cuda_runtime.h, or empty
#   STITCH_CUDART_STATIC    libcudart_static.a, or empty
#   STITCH_NVCC             nvcc, or empty
#   STITCH_CUPTI_INCLUDE    folder of cupti.h, or empty
include_guard(GLOBAL)

function(stitch_find_cuda)
  set(folders $ENV{CUDA_HOME} $ENV{CUDA_PATH})
  find_program(nvcc_on_path nvcc NO_CACHE)
  if(nvcc_on_path)
    get_filename_component(nvcc_on_path ${nvcc_on_path} REALPATH)
    get_filename_component(folder ${nvcc_on_path} DIRECTORY)
    get_filename_component(folder ${folder} DIRECTORY)
    list(APPEND folders ${folder})
  endif()
  file(GLOB packages ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/*)
  list(SORT packages ORDER DESCENDING)
  list(APPEND folders ${packages} /usr/local/cuda /usr/lib/cuda)
  foreach(prefix ${CMAKE_PREFIX_PATH})  # what pip has installed for this build
    file(GLOB packages ${prefix}/nvidia/*)
    list(APPEND folders ${packages})
  endforeach()

  set(STITCH_CUDA_INCLUDE "" PARENT_SCOPE)
  set(STITCH_CUDART_STATIC "" PARENT_SCOPE)
  set(STITCH_NVCC "" PARENT_SCOPE)
  find_path(include crt/host_defines.h PATHS ${folders} PATH_SUFFIXES include targets/x86_64-linux/include NO_CACHE
            NO_DEFAULT_PATH)
  if(include)
    set(STITCH_CUDA_INCLUDE ${include} PARENT_SCOPE)
  endif()
  find_library(static_runtime libcudart_static.a PATHS ${folders} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib
               NO_CACHE NO_DEFAULT_PATH)
  if(static_runtime)
    set(STITCH_CUDART_STATIC ${static_runtime} PARENT_SCOPE)
  endif()
  set(STITCH_CUPTI_INCLUDE "" PARENT_SCOPE)
  find_path(cupti cupti.h PATHS ${folders} PATH_SUFFIXES extras/CUPTI/include include targets/x86_64-linux/include
            NO_CACHE NO_DEFAULT_PATH)
  if(cupti)
    set(STITCH_CUPTI_INCLUDE ${cupti} PARENT_SCOPE)
  endif()
  find_program(nvcc nvcc PATHS ${folders} PATH_SUFFIXES bin NO_CACHE NO_DEFAULT_PATH)
  if(nvcc)
    set(STITCH_NVCC ${nvcc} PARENT_SCOPE)
  endif()
endfunction()

stitch_find_cuda()
if(STITCH_CUDA_INCLUDE)
  message(STATUS "CUDA headers: ${STITCH_CUDA_INCLUDE}")
else()
  message(STATUS "CUDA headers: not found; nothing that runs programs is built (run `make setup`)")
endif()
