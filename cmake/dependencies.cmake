# SPDX-License-Identifier: MIT
# Eigen and GoogleTest come from the system; only where they are missing a pinned archive is fetched. Everything is
# quiet and leaves the caller's own targets alone: a target that exists already is used as it is.
find_package(Threads REQUIRED)

# Eigen is headers only. The fetched one becomes an imported target with the name that Eigen's own package would give
# it, so that what we install asks for Eigen3::Eigen in both cases; its CMakeLists.txt is not run.
if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
endif()
if(NOT TARGET Eigen3::Eigen)
  message(STATUS "Eigen 3.4 was not found: fetching it")
  include(FetchContent)
  FetchContent_Declare(sunder_eigen
    URL https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
    URL_HASH SHA256=8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    SOURCE_SUBDIR no-build)
  FetchContent_MakeAvailable(sunder_eigen)
  # GLOBAL: a parent project that calls add_subdirectory needs the name, too.
  add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
  target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${sunder_eigen_SOURCE_DIR})
endif()

# GTest::gtest_main for the tests.
macro(sunder_find_googletest)
  if(NOT TARGET GTest::gtest_main)
    find_package(GTest 1.11 QUIET)
  endif()
  if(NOT TARGET GTest::gtest_main)
    message(STATUS "GoogleTest was not found: fetching it")
    include(FetchContent)
    set(INSTALL_GTEST OFF CACHE BOOL "")
    FetchContent_Declare(sunder_googletest
      URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
      URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
      DOWNLOAD_EXTRACT_TIMESTAMP ON)
    FetchContent_MakeAvailable(sunder_googletest)
  endif()
endmacro()
