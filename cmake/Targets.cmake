# Helpers that every src folder and the tests use.

# -Wrestrict: GCC 12 sees overlaps in std::string concatenation that are not there (GCC bug 105651).
set(MHA_WARNINGS -Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${MHA_WERROR}>:-Werror> -Wno-restrict)

# mha_library(NAME SOURCES a.cc b.cc DEPS mha_base Torch-free-or-not targets [TORCH])
# Makes the static library mha_NAME for the folder src/NAME. TORCH: the folder's files include LibTorch headers.
function(mha_library name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;DEPS" ${ARGN})
  add_library(mha_${name} STATIC ${ARG_SOURCES})
  target_include_directories(mha_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(mha_${name} PRIVATE ${MHA_WARNINGS})
  target_link_libraries(mha_${name} PUBLIC ${ARG_DEPS})
  if(ARG_TORCH)
    target_link_libraries(mha_${name} PUBLIC mha::torch)
  endif()
endfunction()

# mha_test(NAME SOURCES ... DEPS ... [LABELS ...] [TIMEOUT seconds] [THREADS n] [SERIAL]): a GoogleTest binary, registered with
# ctest as one test. SERIAL: needs the machine for itself.
function(mha_test name)
  cmake_parse_arguments(ARG "SERIAL" "TIMEOUT;THREADS" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_THREADS)
    set(ARG_THREADS 1)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${MHA_WARNINGS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    MHA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MHA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/cases")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  # One thread each: ctest runs several at once, and waiting OpenMP threads would take the others' cores.
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" RUN_SERIAL ${ARG_SERIAL} ENVIRONMENT "OMP_NUM_THREADS=${ARG_THREADS}")
endfunction()
