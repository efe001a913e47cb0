# Everything outside the project. scripts/setup.sh installs all of it; LIBTORCH=/path or CMAKE_PREFIX_PATH chooses another LibTorch.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
find_package(LibTorch 2.6 REQUIRED)
message(STATUS "LibTorch ${LibTorch_VERSION} in ${LIBTORCH_PREFIX}")

if(MHA_BUILD_TESTS)
  find_package(GTest REQUIRED)
  # The environment of setup.sh, not whatever Python comes first in the PATH: the tests compare with the packages in it.
  set(Python3_ROOT_DIR ${PROJECT_SOURCE_DIR}/.venv)
  set(Python3_FIND_VIRTUALENV FIRST)
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
endif()
if(MHA_BUILD_BENCH)
  find_package(benchmark REQUIRED) # scripts/setup.sh --bench
endif()
