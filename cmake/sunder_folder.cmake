# SPDX-License-Identifier: MIT
# sunder_folder(NAME [DEPENDS folder...]) makes one folder of the library:
#  - the object library sunder_NAME from NAME/*.cpp,
#  - one-line forwarding headers, so that <sunder/NAME/x.h> works in the build tree as it does after install
#    (compiler messages name the real file, and nothing but sunder/... is reachable). Headers called *_internal.h are
#    forwarded from a second directory that only our own sources see,
#  - only the include directories of the folders it may depend on: a forbidden include does not compile.
function(sunder_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  set(source_dir ${PROJECT_SOURCE_DIR}/${name})
  set(include_dir ${PROJECT_BINARY_DIR}/include)
  set(SUNDER_${name}_INCLUDE ${include_dir}/${name} PARENT_SCOPE)

  sunder_forward_headers(${name})
  file(GLOB sources CONFIGURE_DEPENDS ${source_dir}/*.cpp)
  if(NOT sources)
    set(sources ${PROJECT_BINARY_DIR}/empty_${name}.cpp)
    file(CONFIGURE OUTPUT ${sources} CONTENT "")
  endif()
  add_library(sunder_${name} OBJECT ${sources})
  target_compile_features(sunder_${name} PUBLIC cxx_std_20)
  target_link_libraries(sunder_${name} PUBLIC Eigen3::Eigen)
  foreach(folder IN ITEMS ${name} ${arg_DEPENDS})
    target_include_directories(sunder_${name} PRIVATE ${include_dir}/${folder} ${include_dir}/${folder}_internal)
  endforeach()
  sunder_private_flags(sunder_${name})
  set_target_properties(sunder_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  sunder_precompile(sunder_${name} <Eigen/Core> <Eigen/Geometry> <algorithm> <cmath> <string> <vector>)

  # The wider twins of a kernel live in files of their own; see docs/determinism.md for why they give the same bits.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    foreach(source IN LISTS sources)
      if(source MATCHES "_avx2\\.cpp$")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx2" SKIP_PRECOMPILE_HEADERS ON)
      elseif(source MATCHES "_avx512\\.cpp$")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx512vl" SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
  endif()
endfunction()

# sunder_precompile(TARGET HEADER...): most of the time of a build from scratch is reading Eigen, in each file again. The
# first call with a list of headers precompiles them, later calls with the same list reuse that: their targets need the
# same flags. Not with a compiler cache, which does not see through precompiled headers; such a build also tells when a
# file lacks an include of its own.
function(sunder_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "SUNDER_PRECOMPILED${ARGN}" list)
  get_property(first GLOBAL PROPERTY ${list})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY ${list} ${target})
  endif()
endfunction()

# Makes <sunder/NAME/x.h> of every NAME/x.h, below build/include/NAME and, for *_internal.h, build/include/NAME_internal.
function(sunder_forward_headers name)
  set(source_dir ${PROJECT_SOURCE_DIR}/${name})
  file(GLOB headers RELATIVE ${source_dir} CONFIGURE_DEPENDS ${source_dir}/*.h)
  foreach(header IN LISTS headers)
    string(REGEX MATCH "_internal" internal ${header})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/${name}${internal}/sunder/${name}/${header}
         CONTENT "#include \"${source_dir}/${header}\"\n")
  endforeach()
endfunction()

# Flags of our own sources, never passed on to users. They pin the rounding: no contraction to FMA, no fast-math even
# when the user's own flags ask for it, one evaluation order in Eigen.
function(sunder_private_flags target)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-fast-math -fno-math-errno -fno-trapping-math -Wno-psabi)
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_VECTORIZE)
  # g++ 12 fuses a product with an alternating sum and difference (vfmaddsub) even when told not to contract, wherever the
  # user's flags bring FMA along.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE -mno-fma -mno-fma4 -mno-avx512f)
  endif()
  if(SUNDER_BUILD_FUZZERS)  # libFuzzer follows which paths of our sources are taken
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  sunder_warnings(${target})
endfunction()

function(sunder_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           $<$<BOOL:${SUNDER_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# Lets a target of ours (a test, a benchmark) include the internal headers, too.
function(sunder_use_internal_headers target)
  foreach(folder IN ITEMS broadphase narrowphase solver physics)
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/include/${folder}_internal)
  endforeach()
endfunction()
