# mha_version: a library of one file that knows the version and the commit. Apart from mha_base, so that a new commit relinks
# the executables that print it and none of the tests.
#
# As a script (cmake -DSOURCE_DIR= -DOUTPUT= -DVERSION= -P Version.cmake) it writes the header, leaving it alone if nothing changed.

if(CMAKE_SCRIPT_MODE_FILE)
  set(git git -c safe.directory=* -C ${SOURCE_DIR})
  set(MHA_COMMIT unknown)
  execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
  file(REAL_PATH ${SOURCE_DIR} source)
  if(rc EQUAL 0 AND top STREQUAL source) # not a tarball unpacked inside another repository
    execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
    if(rc EQUAL 0)
      set(MHA_COMMIT ${commit})
      execute_process(COMMAND ${git} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        string(APPEND MHA_COMMIT -dirty)
      endif()
    endif()
  else()
    # `git archive` fills this file in.
    file(STRINGS ${SOURCE_DIR}/cmake/archive_commit.txt archived LIMIT_COUNT 1)
    if(archived MATCHES "^[0-9a-f]+$")
      string(SUBSTRING ${archived} 0 12 MHA_COMMIT)
    endif()
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/mha_version.h.in ${OUTPUT} @ONLY)
  return()
endif()

set(MHA_VERSION_HEADER ${PROJECT_BINARY_DIR}/generated/mha_version.h)
add_custom_target(mha_version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${MHA_VERSION_HEADER} -DVERSION=${PROJECT_VERSION}
          -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${MHA_VERSION_HEADER}
  VERBATIM)

add_library(mha_version STATIC ${PROJECT_SOURCE_DIR}/src/base/version.cc)
add_dependencies(mha_version mha_version_header)
target_include_directories(mha_version PUBLIC ${PROJECT_SOURCE_DIR}/src PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_compile_options(mha_version PRIVATE ${MHA_WARNINGS})
