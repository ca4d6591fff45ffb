# SPDX-License-Identifier: Apache-2.0
# Texts that are compiled in. Read by the build:  stitch_embed(TARGET stitch_tools NAMESPACE stitch::tools FOLDERS prompts/tools)
# gives the target a source that defines, in that namespace, what src/base/text/embedded_texts.h declares the type of:
# `const EmbeddedText kEmbeddedTexts[]` by the paths below prompts/, without .md, and `const size_t kEmbeddedTextCount`.
# Run as a script it writes that source:  cmake -DOUT=FILE -DNAMESPACE=... -DROOT=... -DFILES=a.md,b.md -P EmbedTexts.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  string(REPLACE "," ";" files "${FILES}")
  set(rows)
  set(count 0)
  foreach(file ${files})
    file(READ ${file} text)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
    string(REGEX REPLACE "\\.md$" "" name "${name}")
    string(APPEND rows "    {\"${name}\", R\"stitch_text(${text})stitch_text\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE ${OUT} "// Made by cmake/EmbedTexts.cmake.\n#include \"base/text/embedded_texts.h\"\n\nnamespace ${NAMESPACE} {\n"
       "extern const EmbeddedText kEmbeddedTexts[];\nextern const size_t kEmbeddedTextCount;\n"
       "const EmbeddedText kEmbeddedTexts[] = {\n${rows}};\nconst size_t kEmbeddedTextCount = ${count};\n}\n")
  return()
endif()

set(STITCH_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(stitch_embed)
  cmake_parse_arguments(ARG "" "TARGET;NAMESPACE" "FOLDERS" ${ARGN})
  set(files)
  foreach(folder ${ARG_FOLDERS})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.md)
    list(APPEND files ${found})
  endforeach()
  list(SORT files)
  list(JOIN files "," joined)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_texts.cc)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${ARG_NAMESPACE} -DROOT=${PROJECT_SOURCE_DIR}/prompts
            -DFILES=${joined} -P ${STITCH_EMBED_SCRIPT}
    DEPENDS ${files} ${STITCH_EMBED_SCRIPT} VERBATIM)
  target_sources(${ARG_TARGET} PRIVATE ${out})
endfunction()
