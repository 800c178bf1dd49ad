//===- Forms.h - A schedule and its kernels, to be mutated ------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_MUTANTS_FORMS_H
#define RCCLX_TESTS_MUTANTS_FORMS_H

#include "Mutations.h"
#include "mlir/IR/BuiltinOps.h"
#include "rcclx/Analysis/Proof.h"
#include "llvm/Support/Error.h"

namespace rcclx::mutants {

/// What a program is lowered for. Tiles are small, so that small counts have
/// many of them.
struct Setting {
  uint32_t world;
  std::string protocol; ///< Empty: what the compiler chooses.
};
inline constexpr uint32_t tileGroups = 4, depth = 2;
inline constexpr char element[] = "f32";
/// With avg, a missing or a second `finish` is a wrong result.
inline constexpr char reduction[] = "avg";

/// What the compiler makes of a program.
struct Compiled {
  bool proved = false;
  bool crashed = false; ///< The proof did.
  bool lowered = false;
  /// The first error of whoever refused it.
  std::string refusal;
  /// One function, `rcclx_mutant`. Empty where it was not lowered.
  std::string source;
  uint32_t grid = 1;
  std::vector<std::vector<uint32_t>> edges, readers;
};

/// One schedule file.
class Program {
public:
  static llvm::Expected<std::unique_ptr<Program>> open(llvm::StringRef path);

  const std::string &getName() const { return name; }
  Contract getContract() { return getCollective(*module).getContract(); }
  /// The root that the program is bound to.
  uint32_t getRoot(uint32_t world);
  /// The permutation that it is bound to; empty: none.
  std::vector<int32_t> getPermutation(uint32_t world);

  std::vector<Mutation> findScheduleMutations();
  /// Proves and lowers the schedule, or a mutant of it. One that is refused is
  /// lowered all the same, by `ll`, unless it cannot be. No value where the
  /// mutant is invalid IR.
  std::optional<Compiled> compileSchedule(const Setting &setting,
                                          const Mutation *mutation);

  /// Why a mutant that is proved may differ, from what all ranks do in it;
  /// empty where that is not known.
  std::string compareTraces(llvm::ArrayRef<uint32_t> worlds,
                            const Mutation &mutation);

  /// Lowers the schedule to the kernel that the next two mutate.
  llvm::Error lowerToKernel(const Setting &setting);
  std::vector<Mutation> findKernelMutations();
  std::optional<Compiled> compileKernel(const Mutation *mutation);

private:
  Program();
  static CollectiveOp getCollective(mlir::ModuleOp module);
  /// Binds `module` to a world and to its roles.
  mlir::LogicalResult bind(mlir::ModuleOp module, uint32_t world);
  mlir::LogicalResult lowerProved(mlir::ModuleOp module, const Setting &setting,
                                  Compiled &result);
  mlir::LogicalResult lowerRefused(mlir::ModuleOp module,
                                   const Setting &setting, Compiled &result);
  mlir::LogicalResult emit(mlir::ModuleOp module, Compiled &result);

  std::string name;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  // What lowerToKernel made, and its proof's edges.
  mlir::OwningOpRef<mlir::ModuleOp> kernel;
  Compiled kernelPlan;
};

} // namespace rcclx::mutants

#endif // RCCLX_TESTS_MUTANTS_FORMS_H
