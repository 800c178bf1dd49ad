//===- Elements.cpp - Element types and reductions by name ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "rcclx/Dialect/Rcclx/Rcclx.h"
#include "rcclx_elements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace rcclx;

#define RCCLX_SPELLING(NAME, TEXT, ...) #TEXT,
static constexpr StringRef elements[] = {RCCLX_ELEMENTS(RCCLX_SPELLING)};
static constexpr StringRef reductions[] = {RCCLX_REDUCTIONS(RCCLX_SPELLING)};
#undef RCCLX_SPELLING

// The dialect's enum is the list of docs/Numerics.md, in its order.
#define RCCLX_CHECK(NAME, TEXT)                                                \
  static_assert(uint32_t(Reduction::NAME) == uint32_t(Listed::NAME));
namespace {
#define RCCLX_NAME(NAME, TEXT) NAME,
enum class Listed : uint32_t { RCCLX_REDUCTIONS(RCCLX_NAME) };
#undef RCCLX_NAME
RCCLX_REDUCTIONS(RCCLX_CHECK)
static_assert(getMaxEnumValForReduction() + 1 == std::size(reductions));
#undef RCCLX_CHECK
} // namespace

bool rcclx::isElementName(StringRef name) {
  return llvm::is_contained(elements, name);
}

Type rcclx::parseElement(StringRef name, MLIRContext *context) {
  if (!isElementName(name))
    return Type();
  bool isUnsigned = name.starts_with("u");
  return parseType(isUnsigned ? ("ui" + name.drop_front()).str() : name.str(),
                   context);
}

std::string rcclx::getElementName(Type element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  if (StringRef(text).starts_with("ui"))
    text.erase(1, 1);
  return isElementName(text) ? text : "";
}

static std::string list(ArrayRef<StringRef> names) {
  return llvm::join(names.drop_back(), ", ") + " or " + names.back().str();
}
std::string rcclx::listElements() { return list(elements); }
std::string rcclx::listReductions() { return list(reductions); }
