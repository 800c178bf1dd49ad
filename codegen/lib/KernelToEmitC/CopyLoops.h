//===- CopyLoops.h - Element loops that move groups as they are -*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_CODEGEN_COPYLOOPS_H
#define RCCLX_CODEGEN_COPYLOOPS_H

#include "mlir/Transforms/DialectConversion.h"

namespace rcclx {

/// Before the conversion of scf. `element` and `threads` are template
/// arguments of the header: rx::F32, 256.
void populateCopyLoopPatterns(mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns,
                              llvm::StringRef element, llvm::StringRef threads);

} // namespace rcclx

#endif // RCCLX_CODEGEN_COPYLOOPS_H
