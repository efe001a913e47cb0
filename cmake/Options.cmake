option(MHA_BUILD_TESTS "Build the tests" ON)
option(MHA_BUILD_BENCH "Build the benchmarks" OFF)
option(MHA_SANITIZE "Compile with the address and undefined-behaviour sanitizers" OFF)
option(MHA_WERROR "Treat warnings on our own targets as errors" OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
# For development: assertions on, line numbers in stack traces, and half the compile time of -O3 with full debug information.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
# A C++ compiler may contract a*b+c to a fused operation or not, depending on the surrounding code; results must not depend on it.
add_compile_options(-ffp-contract=off)
if(MHA_SANITIZE)
  # vptr: needs run-time type information that LibTorch does not export.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
