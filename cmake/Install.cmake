# cmake --install gives bin/mha-train and share/mha-train/{configs,data}: a tree that runs from anywhere on this machine.
# The binary finds LibTorch where it was built from, or beside itself in lib/ when someone copies it there.
include(GNUInstallDirs)

if(TARGET mha-train)
  set_target_properties(mha-train PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH "$ORIGIN/../lib;${LIBTORCH_LIBRARY_DIR}"
    BUILD_WITH_INSTALL_RPATH ON) # the same in both: CMake would pad the build's with empty entries, which mean the current folder
  install(TARGETS mha-train RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/mha-train)
# With the generated corpus if there is one; downloads are left out.
install(DIRECTORY data DESTINATION ${CMAKE_INSTALL_DATADIR}/mha-train
  PATTERN downloads EXCLUDE PATTERN __pycache__ EXCLUDE)
# What the README links to lies beside it.
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES data/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/data)
