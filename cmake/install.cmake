# SPDX-License-Identifier: MIT
# What find_package(sunder) needs: the archive, the public headers as <sunder/folder/x.h>, and a package file that finds
# Eigen and the threads library first.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sunder)

install(TARGETS sunder EXPORT sunder-targets)
foreach(folder IN ITEMS broadphase narrowphase solver physics)
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sunder/${folder}
          FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)
endforeach()
install(EXPORT sunder-targets NAMESPACE sunder:: DESTINATION ${package_dir})

configure_package_config_file(cmake/sunder-config.cmake.in ${PROJECT_BINARY_DIR}/sunder-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sunder-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sunder-config.cmake ${PROJECT_BINARY_DIR}/sunder-config-version.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET sunder_command)
  install(TARGETS sunder_command)
endif()
