# SPDX-License-Identifier: Apache-2.0
# Makes a list of a folder's texts for a source to include: one line STITCH_TEXT("name", R"...") each. The file is written
# only when a text changes. With ROOT DIR names are paths below it.
include_guard(GLOBAL)

function(stitch_embedded_texts output)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "ROOT" "")
  set(lines "// Made by cmake/EmbeddedTexts.cmake.\n")
  foreach(path ${ARG_UNPARSED_ARGUMENTS})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    get_filename_component(name ${path} NAME_WE)
    if(ARG_ROOT)
      file(RELATIVE_PATH name ${ARG_ROOT} ${path})
      string(REGEX REPLACE "\\.[^.]*$" "" name ${name})
    endif()
    string(APPEND lines "STITCH_TEXT(\"${name}\", R\"__TEXT__(${text})__TEXT__\")\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "${lines}" @ONLY)
endfunction()
