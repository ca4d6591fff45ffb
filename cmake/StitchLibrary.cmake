# SPDX-License-Identifier: Apache-2.0
# One folder = one target = one namespace. A file's suffix decides what becomes of it:
#   foo.cc -> library   foo_test.cc -> <name>_test   foo_main.cc -> its own program   foo_bench.cc -> <name>_bench
# so that adding a file never means editing a build list.
include_guard(GLOBAL)

option(STITCH_SANITIZE "Build host code with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(STITCH_SANITIZE_THREADS "Build host code with ThreadSanitizer" OFF)

add_library(stitch_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(stitch_warnings INTERFACE -w)  # g++ is the compiler that warns; clang's set differs by release
else()
  # gcc 12 sees overlapping copies in `"text" + std::string` (its bug 105651) and uninitialised strings in
  # Result<std::string>.
  target_compile_options(stitch_warnings INTERFACE -Wall -Wextra -Wconversion -Werror -Wno-restrict
                         -Wno-maybe-uninitialized)
endif()
target_include_directories(stitch_warnings INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(STITCH_SANITIZE)
  target_compile_options(stitch_warnings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # counters for libFuzzer, which tests/fuzz links
    target_compile_options(stitch_warnings INTERFACE -fsanitize=fuzzer-no-link)
  endif()
  target_link_options(stitch_warnings INTERFACE -fsanitize=address,undefined)
elseif(STITCH_SANITIZE_THREADS)
  target_compile_options(stitch_warnings INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(stitch_warnings INTERFACE -fsanitize=thread)
else()
  # One build runs on any x86-64 Linux with a recent enough glibc. (cmake/Torch.cmake says who shares the runtime.)
  target_link_options(stitch_warnings INTERFACE
                      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:STITCH_SHARED_RUNTIME>>>:-static-libstdc++;-static-libgcc>)
endif()

set(STITCH_PRECOMPILE OFF)
if(STITCH_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(STITCH_PRECOMPILE ON)
  include(${CMAKE_CURRENT_LIST_DIR}/Precompiled.cmake)
endif()

# The sources of a folder are one unit for the compiler, eight at most: each alone takes it through the same headers again.
# Names in their anonymous namespaces must therefore differ. Under AddressSanitizer each source is a unit of its own, so
# that one which forgot an include is found.
set(STITCH_UNITS_DEFAULT ON)
if(STITCH_SANITIZE)
  set(STITCH_UNITS_DEFAULT OFF)
endif()
option(STITCH_UNITS "Compile the sources of a folder together" ${STITCH_UNITS_DEFAULT})

# stitch_units(TARGET SOURCES... ALONE FOLDERS...): of the folders named ALONE each source stays by itself.
function(stitch_units target)
  cmake_parse_arguments(ARG "" "" "ALONE;SOURCES" ${ARGN})
  if(NOT STITCH_UNITS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${ARG_SOURCES})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} name)
    if(NOT folder IN_LIST ARG_ALONE)
      list(APPEND ${name} ${source})
      list(LENGTH ${name} count)
      math(EXPR part "(${count} - 1) / 8")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${part})
    endif()
  endforeach()
endfunction()

# Where tests find the programs that they start. With sanitizers only the test or stitchcuda itself is built: workers,
# keepers and the cage, whose memory is limited, are those of build/.
set(STITCH_HELPER_DIR ${CMAKE_BINARY_DIR})
if(STITCH_SANITIZE OR STITCH_SANITIZE_THREADS)
  set(STITCH_HELPER_DIR ${PROJECT_SOURCE_DIR}/build)
endif()
function(stitch_starts program)
  if(NOT STITCH_SANITIZE AND NOT STITCH_SANITIZE_THREADS)
    add_dependencies(${program} ${ARGN})
  endif()
endfunction()

# `ninja` alone builds what users run; `ninja stitch_tests` what only tests and benches start.
add_custom_target(stitch_tests)
function(stitch_for_tests)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(stitch_tests ${ARGN})
endfunction()

# stitch_library(NAME plan DEPS base artifact ir [LIBS fmt::fmt] [ALONE src/ir/ops])
# DEPS are our own folders and are what tools/check-layers checks includes against; LIBS are third-party targets.
# HEADERS_ONLY: the folder builds its sources itself, more than once (src/device: one library for each device).
# QUICK: compiled with -O1, a fifth cheaper; for folders without a loop that anyone waits for. Tests are compiled with -O0.
# ALONE: folders whose sources are compiled one by one, since all of them have functions of the same names; TESTS_ALONE:
# whose tests are.
# TESTS_NEED: a target without which the tests cannot be linked, and are left out.
function(stitch_library)
  cmake_parse_arguments(ARG "HEADERS_ONLY;QUICK" "NAME;TESTS_NEED" "DEPS;LIBS;ALONE;TESTS_ALONE" ${ARGN})
  set(directory ${CMAKE_CURRENT_SOURCE_DIR})
  set(all)
  if(NOT ARG_HEADERS_ONLY)
    file(GLOB_RECURSE all CONFIGURE_DEPENDS ${directory}/*.cc)
  endif()
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_(test|main|bench)\\.cc$")

  set(links stitch_warnings)
  foreach(dep ${ARG_DEPS})
    list(APPEND links stitch_${dep})
  endforeach()
  if(sources)
    add_library(stitch_${ARG_NAME} STATIC ${sources})
    stitch_units(stitch_${ARG_NAME} SOURCES ${sources} ALONE ${ARG_ALONE})
    target_link_libraries(stitch_${ARG_NAME} PUBLIC ${links} ${ARG_LIBS})
    if(ARG_QUICK AND CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(stitch_${ARG_NAME} PRIVATE -O1)
    endif()
    if(STITCH_PRECOMPILE)
      stitch_precompile(stitch_${ARG_NAME})
    endif()
  else()
    add_library(stitch_${ARG_NAME} INTERFACE)
    target_link_libraries(stitch_${ARG_NAME} INTERFACE ${links} ${ARG_LIBS})
  endif()

  if(ARG_TESTS_NEED AND NOT TARGET ${ARG_TESTS_NEED})
    set(tests)
  endif()
  if(tests)
    add_executable(${ARG_NAME}_test ${tests})
    stitch_units(${ARG_NAME}_test SOURCES ${tests} ALONE ${ARG_ALONE} ${ARG_TESTS_ALONE})
    stitch_for_tests(${ARG_NAME}_test)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(${ARG_NAME}_test PRIVATE -O0)
    endif()
    target_link_libraries(${ARG_NAME}_test PRIVATE stitch_${ARG_NAME} GTest::gtest GTest::gtest_main)
    target_compile_definitions(${ARG_NAME}_test PRIVATE STITCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                               STITCH_BINARY_DIR="${STITCH_HELPER_DIR}")
    if(STITCH_PRECOMPILE)
      stitch_precompile(${ARG_NAME}_test)
    endif()
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME}_test WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endfunction()

# stitch_program(NAME stitchcuda SOURCES x_main.cc DEPS cli)
function(stitch_program)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS;LIBS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  foreach(dep ${ARG_DEPS})
    target_link_libraries(${ARG_NAME} PRIVATE stitch_${dep})
  endforeach()
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBS})
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()
