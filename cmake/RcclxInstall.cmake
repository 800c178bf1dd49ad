# What `cmake --install` writes. The command and librcclx.so find the compiler
# beside the library or in ../lib, so that folder has this name on every system.
set(CMAKE_INSTALL_LIBDIR lib)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(RCCLX_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rcclx)
install(TARGETS rcclx EXPORT rcclxTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES runtime/include/rcclx/rcclx.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rcclx)
install(EXPORT rcclxTargets NAMESPACE rcclx:: DESTINATION ${RCCLX_CMAKE_DIR})
# The exported targets need no other package.
configure_file(cmake/rcclxConfig.cmake.in rcclxConfig.cmake COPYONLY)
write_basic_package_version_file(rcclxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rcclxConfig.cmake
  ${PROJECT_BINARY_DIR}/rcclxConfigVersion.cmake DESTINATION ${RCCLX_CMAKE_DIR})

install(TARGETS rcclx-tool RUNTIME)
if(RCCLX_BUILD_COMPILER)
  # Debian's LLVM lies where the loader does not look.
  set_target_properties(rcclx_compiler rcclx-opt rcclx-translate rcclx-lsp-server
    PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS rcclx-opt rcclx-translate rcclx-lsp-server RUNTIME)
  install(TARGETS rcclx_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY examples/schedules DESTINATION ${CMAKE_INSTALL_DATADIR}/rcclx)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/rcclx)

# Each shell's folder for completions of packages.
set(RCCLX_COMPLETION_bash bash-completion/completions/rcclx)
set(RCCLX_COMPLETION_zsh zsh/site-functions/_rcclx)
set(RCCLX_COMPLETION_fish fish/vendor_completions.d/rcclx.fish)
foreach(shell bash zsh fish)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/${RCCLX_COMPLETION_${shell}}\")
    get_filename_component(folder \"\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:rcclx-tool>\" completion ${shell}
      OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${file}\")")
endforeach()
