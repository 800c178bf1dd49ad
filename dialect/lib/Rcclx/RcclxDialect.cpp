//===- RcclxDialect.cpp - Registration, types and attributes --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rcclx;

#include "rcclx/Dialect/Rcclx/RcclxDialect.cpp.inc"
#include "rcclx/Dialect/Rcclx/RcclxEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "rcclx/Dialect/Rcclx/RcclxTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "rcclx/Dialect/Rcclx/RcclxAttrs.cpp.inc"

void RcclxDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "rcclx/Dialect/Rcclx/RcclxTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "rcclx/Dialect/Rcclx/RcclxAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "rcclx/Dialect/Rcclx/RcclxOps.cpp.inc"
      >();
}

std::string rcclx::checkRoles(uint32_t world, uint32_t root,
                              ArrayRef<int32_t> permutation) {
  std::string range = "0 to " + std::to_string(world - 1);
  if (root >= world)
    return "expected a root within " + range + ", found " +
           std::to_string(root);
  if (permutation.empty())
    return "";
  if (permutation.size() != world)
    return "expected a permutation of " + std::to_string(world) +
           " ranks, found " + std::to_string(permutation.size()) + " entries";
  SmallVector<bool> seen(world, false);
  for (int32_t rank : permutation) {
    bool known = rank >= 0 && uint32_t(rank) < world;
    if (!known || seen[rank])
      return "expected a permutation of " + range + ", found " +
             std::to_string(rank) + (known ? " twice" : "");
    seen[rank] = true;
  }
  return "";
}

std::string rcclx::checkRoles(Contract contract, uint32_t root,
                              bool hasPermutation) {
  std::string name = stringifyContract(contract).str();
  if (root != 0 && !hasRoot(contract))
    return name + " has no root; expected root 0, found " +
           std::to_string(root);
  if (hasPermutation && contract != Contract::Permute)
    return name + " has no permutation; expected none";
  return "";
}

LogicalResult
SpecializationAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           uint32_t world, Type element, Reduction,
                           uint32_t root, DenseI32ArrayAttr permutation) {
  if (world == 0 || world > 256)
    return emitError() << "expected a world of 1 to 256 ranks, found " << world;
  if (getElementName(element).empty())
    return emitError() << "expected element type " << listElements()
                       << ", found " << element;
  std::string wrong =
      checkRoles(world, root,
                 permutation ? permutation.asArrayRef() : ArrayRef<int32_t>());
  if (!wrong.empty())
    return emitError() << wrong;
  return success();
}

LogicalResult MappingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  uint32_t grid, uint32_t groups,
                                  uint32_t threads, uint32_t tile,
                                  uint32_t depth, uint32_t tags,
                                  uint32_t rows) {
  if (grid == 0 || grid > 512)
    return emitError() << "expected a grid of 1 to 512 blocks, found " << grid;
  if (groups == 0 || grid % groups != 0)
    return emitError() << "expected a grid that " << groups
                       << " block groups divide, found " << grid;
  if (threads == 0 || threads > 1024)
    return emitError() << "expected 1 to 1024 threads a block, found "
                       << threads;
  if (tile == 0 || depth == 0 || tags == 0 || rows == 0)
    return emitError() << "expected tile, depth, tags and rows of at least 1";
  return success();
}
