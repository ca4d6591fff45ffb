# SPDX-License-Identifier: Apache-2.0
# What `pip install .` puts beside the package's Python files: the programs and what they read, laid out as in the
# tarball of tools/make-dist. What emulated programs have in common is compiled at their first build and not here: it
# depends on the compiler and on the CUDA headers of the machine that runs them, which need not be this one.
set(wheel_programs stitchcuda stitchcuda-tool stitchcuda-chat stitchcuda-cage stitchcuda-rewrite
    stitchcuda-worker-emulated stitchcuda-worker-checked stitchcuda-worker-counted
    stitchcuda-keeper-emulated stitchcuda-worker-cuda stitchcuda-replay-cuda stitchcuda-keeper-cuda stitch_emulator_shared stitch_observer
    stitch_host_emulated stitchcuda_shared)
foreach(program ${wheel_programs})
  if(NOT TARGET ${program})
    message(FATAL_ERROR "${program} cannot be built: the CUDA toolkit's headers or libcudart_static.a were not found. "
            "Set CUDA_HOME to the toolkit's folder.")
  endif()
endforeach()
if(TARGET stitch_eviction)  # where there is an nvcc
  list(APPEND wheel_programs stitch_eviction)
endif()
if(TARGET stitch_activity)  # where CUPTI's headers are
  list(APPEND wheel_programs stitch_activity)
endif()
add_custom_target(wheel DEPENDS ${wheel_programs})

set(wheel_folder stitchcuda/_programs)
install(TARGETS ${wheel_programs} COMPONENT wheel RUNTIME DESTINATION ${wheel_folder}/bin
        LIBRARY DESTINATION ${wheel_folder}/bin)
foreach(folder python/stitchcuda_python python/stitchcuda_candidate python/stitchcuda_judge python/stitchcuda_source problems report rubrics knowledge runtime emulator/include)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${wheel_folder}/share/stitchcuda/${parent}
          COMPONENT wheel
          PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
endforeach()
