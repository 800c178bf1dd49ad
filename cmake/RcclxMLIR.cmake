# Everything that a unit of the compiler half needs of LLVM, MLIR, clang and lld.
find_program(LLVM_EXTERNAL_LIT NAMES llvm-lit lit PATHS /usr/lib/llvm-22/bin)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "expected LLVM/MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
# LLVM's modules set these for LLVM's own tree.
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)
if(RCCLX_SANITIZE)
  # The sanitizers' run time is in the executables only.
  string(REPLACE "-Wl,-z,defs" "" CMAKE_SHARED_LINKER_FLAGS "${CMAKE_SHARED_LINKER_FLAGS}")
endif()
set(CMAKE_CXX_STANDARD 20)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(RCCLX_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${RCCLX_LLVM_DEFINITIONS})

# One precompiled header for every unit that includes MLIR: such a unit costs
# 7-9 s without it.
add_library(RcclxMlirHeader OBJECT ${PROJECT_SOURCE_DIR}/cmake/MlirHeader.cpp)
target_precompile_headers(RcclxMlirHeader PRIVATE ${PROJECT_SOURCE_DIR}/cmake/MlirHeader.h)
function(rcclx_share_mlir_header target)
  target_precompile_headers(${target} REUSE_FROM RcclxMlirHeader)
endfunction()
# LLVM asks for it of its own code; the standard library's guards use deduction.
add_compile_options(-Wno-ctad-maybe-unsupported)
