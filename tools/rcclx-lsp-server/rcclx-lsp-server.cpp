//===- rcclx-lsp-server.cpp - Schedules in an editor ----------------------===//
//
// Part of rcclx. Upstream's language server, with our dialects, and with what
// the proof finds wrong for small numbers of ranks.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "rcclx/Analysis/Proof.h"
#include "rcclx/CodeGen/Register.h"
#include "rcclx/Dialect/Rcclx/ScheduleCheck.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace rcclx;

static llvm::cl::list<unsigned>
    ranks("ranks", llvm::cl::CommaSeparated,
          llvm::cl::desc("Numbers of ranks that schedules are proved for "
                         "[2,3,4,5,8]; 0: none"),
          llvm::cl::callback([](const unsigned &number) {
            if (number <= maxProofWorld)
              return;
            llvm::errs() << "rcclx-lsp-server: error: --ranks: expected 0 to "
                         << maxProofWorld << ", found " << number << "\n";
            exit(2);
          }));

namespace {
/// One error at most: that of the first number of ranks and root.
struct ProveSmallWorlds : public ScheduleCheck {
  using ScheduleCheck::ScheduleCheck;

  void check(CollectiveOp collective) const override {
    if (std::optional<SpecializationAttr> spec = collective.getSpec()) {
      (void)proveSchedule(collective, spec->getWorld(), /*slots=*/2);
      return;
    }
    std::vector<unsigned> worlds = {2, 3, 4, 5, 8};
    if (!ranks.empty())
      worlds.assign(ranks.begin(), ranks.end());
    for (unsigned world : worlds)
      if (world == 0 || !isProved(collective, world))
        return;
  }

private:
  static bool isProved(CollectiveOp collective, unsigned world) {
    unsigned roots = hasRoot(collective.getContract()) ? world : 1;
    for (unsigned root = 0; root != roots; ++root)
      if (failed(proveSchedule(collective, world, /*slots=*/2,
                               Roles(world, root))))
        return false;
    return true;
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.addExtension(+[](MLIRContext *context, RcclxDialect *dialect) {
    dialect->addInterfaces<ProveSmallWorlds>();
    // The editor shows the place: the operation's text helps nobody.
    context->printOpOnDiagnostic(false);
  });
  return failed(MlirLspServerMain(argc, argv, registry));
}
