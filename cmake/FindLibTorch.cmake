# Finds LibTorch, 2.6 or newer, and makes the target mha::torch.
#
# Looked for in this order: the environment variable LIBTORCH, LibTorch_ROOT, CMAKE_PREFIX_PATH, and the torch wheel in .venv.
# LibTorch's own package file is not used: against a CUDA wheel it wants the whole CUDA toolkit, which a program that only
# calls the C++ interface does not need.
#
# Sets LibTorch_FOUND, LibTorch_VERSION, LIBTORCH_PREFIX and LIBTORCH_LIBRARY_DIR (for run paths).

file(GLOB mha_venv_torch LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
if(NOT "$ENV{LIBTORCH}" STREQUAL "" AND NOT "$ENV{LIBTORCH}" STREQUAL "${MHA_LIBTORCH_FROM}")
  # A cached answer must not outlive a new wish.
  unset(LIBTORCH_VERSION_FILE CACHE)
  set(MHA_LIBTORCH_FROM "$ENV{LIBTORCH}" CACHE INTERNAL "Value of LIBTORCH that this build folder was configured with")
endif()
if(LIBTORCH_VERSION_FILE AND NOT EXISTS "${LIBTORCH_VERSION_FILE}")
  unset(LIBTORCH_VERSION_FILE CACHE)
endif()
if(NOT "$ENV{LIBTORCH}" STREQUAL "")
  find_file(LIBTORCH_VERSION_FILE TorchConfigVersion.cmake
    PATHS "$ENV{LIBTORCH}" PATH_SUFFIXES share/cmake/Torch torch/share/cmake/Torch NO_DEFAULT_PATH)
  if(NOT LIBTORCH_VERSION_FILE)
    message(FATAL_ERROR "LIBTORCH=$ENV{LIBTORCH} holds no LibTorch: share/cmake/Torch/TorchConfigVersion.cmake is missing there. "
                        "Name the folder that holds include/, lib/ and share/, or unset LIBTORCH to use the one in .venv.")
  endif()
endif()
file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" mha_env_prefixes)
find_file(LIBTORCH_VERSION_FILE TorchConfigVersion.cmake
  PATHS ${LibTorch_ROOT} ${CMAKE_PREFIX_PATH} ${mha_env_prefixes} ${mha_venv_torch}
  PATH_SUFFIXES share/cmake/Torch Torch torch/share/cmake/Torch NO_DEFAULT_PATH
  DOC "TorchConfigVersion.cmake of the LibTorch that is used")

if(LIBTORCH_VERSION_FILE)
  get_filename_component(LIBTORCH_PREFIX "${LIBTORCH_VERSION_FILE}/../../../.." ABSOLUTE)
  set(LIBTORCH_LIBRARY_DIR "${LIBTORCH_PREFIX}/lib")
  file(STRINGS "${LIBTORCH_VERSION_FILE}" mha_line REGEX "set\\(PACKAGE_VERSION" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" LibTorch_VERSION "${mha_line}")
  file(STRINGS "${LIBTORCH_PREFIX}/share/cmake/Torch/TorchConfig.cmake" mha_old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0" LIMIT_COUNT 1)
  if(mha_old_abi)
    message(FATAL_ERROR "The LibTorch at ${LIBTORCH_PREFIX} was built for the old C++ ABI, which SentencePiece and spdlog cannot be "
                        "linked with. Use one with the C++11 ABI: scripts/setup.sh installs it, or take the 'cxx11-abi' download.")
  endif()
  # Some builds name the runtime libgomp-HASH.so.1.
  file(GLOB mha_torch_gomp ${LIBTORCH_LIBRARY_DIR}/libgomp*.so*)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LIBTORCH_PREFIX LIBTORCH_LIBRARY_DIR VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh, which installs a pinned one into .venv, or set LIBTORCH=/path/to/libtorch")

if(LibTorch_FOUND AND NOT TARGET mha::torch)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  add_library(mha_torch INTERFACE)
  add_library(mha::torch ALIAS mha_torch)
  target_include_directories(mha_torch SYSTEM INTERFACE
    "${LIBTORCH_PREFIX}/include" "${LIBTORCH_PREFIX}/include/torch/csrc/api/include")
  # The headers' parallel loops are OpenMP; the runtime is LibTorch's own where it brings one, since two runtimes in one process
  # would mean two thread pools. So the compiler's flag is given when compiling and not when linking.
  target_compile_options(mha_torch INTERFACE ${OpenMP_CXX_FLAGS})
  target_link_libraries(mha_torch INTERFACE
    "${LIBTORCH_LIBRARY_DIR}/libtorch_cpu.so" "${LIBTORCH_LIBRARY_DIR}/libc10.so" Threads::Threads)
  if(mha_torch_gomp)
    target_link_libraries(mha_torch INTERFACE ${mha_torch_gomp})
  else()
    target_link_libraries(mha_torch INTERFACE OpenMP::OpenMP_CXX)
  endif()
  if(EXISTS "${LIBTORCH_LIBRARY_DIR}/libtorch_cuda.so")
    # Nothing refers to a symbol of the CUDA part: it registers itself when loaded.
    target_link_libraries(mha_torch INTERFACE
      "-Wl,--push-state,--no-as-needed" "${LIBTORCH_LIBRARY_DIR}/libtorch_cuda.so" "${LIBTORCH_LIBRARY_DIR}/libc10_cuda.so"
      "-Wl,--pop-state")
  endif()
endif()
