# SPDX-License-Identifier: Apache-2.0
# Headers that most sources read, parsed once for all of the sanitized build: src/ir is 185 small files, of which each
# took twice as long without. Only what the system brings is among them, so that no change of ours makes it anew.
# The release does without: it is what users compile, with whichever compiler they have.
include_guard(GLOBAL)

add_library(stitch_precompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled/precompiled.cc)
target_link_libraries(stitch_precompiled PRIVATE stitch_warnings stitch_fmt nlohmann_json::nlohmann_json
                      Threads::Threads)
target_precompile_headers(stitch_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/precompiled.h)
# Without times in it the same text is the same file, and ccache finds what it was used for.
target_compile_options(stitch_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

function(stitch_precompile target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)  # a program's code is -fPIE by itself, for which the headers would be parsed once more
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM stitch_precompiled)
endfunction()
