# The target rcclx-docs writes docs/generated from the TableGen files, the table
# of environment variables and the header of the C interface. The files are committed; the test docs-fresh
# compares.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
list(GET MLIR_INCLUDE_DIRS 0 mlir_include)
set(RCCLX_DOCS_ARGUMENTS --tblgen $<TARGET_FILE:mlir-tblgen> --include ${mlir_include}
  --rcclx $<TARGET_FILE:rcclx-tool>)
add_custom_target(rcclx-docs
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/generate_docs.py
          ${RCCLX_DOCS_ARGUMENTS}
  DEPENDS rcclx-tool
  VERBATIM)
