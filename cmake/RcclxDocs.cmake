# The target rcclx-docs writes docs/generated from the TableGen files and the
# table of environment variables. The files are committed; the test docs-fresh
# compares.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
list(GET MLIR_INCLUDE_DIRS 0 mlir_include)
set(RCCLX_DOCS_ARGUMENTS --tblgen $<TARGET_FILE:mlir-tblgen> --include ${mlir_include})
add_custom_target(rcclx-docs
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_docs.py
          ${RCCLX_DOCS_ARGUMENTS}
  VERBATIM)
