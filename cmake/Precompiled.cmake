# SPDX-License-Identifier: Apache-2.0
# Headers that most sources read, parsed once for all of the sanitized build, and what most sources use of them compiled
# once: src/ir is 185 small files, of which each took four times as long without. Only what the system brings is among
# them, so that no change of ours makes it anew. The release does without: it is what users compile, with whichever
# compiler they have.
include_guard(GLOBAL)

add_library(stitch_precompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled/precompiled.cc)
target_link_libraries(stitch_precompiled PRIVATE stitch_warnings stitch_fmt nlohmann_json::nlohmann_json GTest::gtest
                      Threads::Threads)
target_precompile_headers(stitch_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/precompiled.h)
# Without times in it the same text is the same file, and ccache finds what it was used for.
target_compile_options(stitch_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp" -fpch-codegen
                       "SHELL:-Xclang -building-pch-with-obj")
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# The functions of these headers; sources that are compiled with them have none of their own. Some that nobody calls
# need what no library has, and are left out by the linker, which a fuzzer's counters would forbid: fuzzers count
# edges of our own sources alone.
set(headers ${CMAKE_BINARY_DIR}/CMakeFiles/stitch_precompiled.dir/cmake_pch.hxx.pch)
set(code ${CMAKE_BINARY_DIR}/CMakeFiles/stitch_precompiled.dir/cmake_pch.o)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}")
add_custom_command(OUTPUT ${code}
  COMMAND ${CMAKE_CXX_COMPILER} ${flags} -fPIC $<TARGET_PROPERTY:stitch_warnings,INTERFACE_COMPILE_OPTIONS>
    -fno-sanitize=fuzzer-no-link -ffunction-sections -c ${headers} -o ${code}
  DEPENDS ${headers} COMMENT "Compiling precompiled headers" VERBATIM COMMAND_EXPAND_LISTS)
set_source_files_properties(${code} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_library(stitch_precompiled_code STATIC ${code})
set_target_properties(stitch_precompiled_code PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(stitch_precompiled_code PUBLIC stitch_fmt GTest::gtest Threads::Threads)
target_link_options(stitch_precompiled_code INTERFACE LINKER:--gc-sections
                    LINKER:--exclude-libs,libstitch_precompiled_code.a)  # or what exports its functions keeps them all

function(stitch_precompile target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)  # a program's code is -fPIE by itself, for which the headers would be parsed once more
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM stitch_precompiled)
  target_link_libraries(${target} PUBLIC stitch_precompiled_code)
endfunction()
