//===- Fabric.h - The memory of all ranks -----------------------*- C++ -*-===//
//
// Part of rcclx. Regions, windows and call words as the peers have them after
// they have connected (rcclx_params.h), without a communicator: so that a test
// may set call numbers, and read what is left in the slots.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_TESTS_ADVERSARY_FABRIC_H
#define RCCLX_TESTS_ADVERSARY_FABRIC_H

#include "rcclx/Runtime/Device.h"
#include "rcclx/Runtime/Manifest.h"

#include <memory>
#include <string>
#include <vector>

namespace rcclx::adversary {

class Fabric {
public:
  explicit Fabric(uint32_t world);

  /// All but the buffers, the count and the host's calls.
  rcclx_kernel_params params(uint32_t rank,
                             const runtime::Manifest &manifest) const;
  /// As if every pair had ended `calls` calls.
  void setCalls(uint64_t calls);
  rcclx_control &control(uint32_t rank) const;
  /// Empty when every slot that readers reset is zero, as it must be between
  /// calls.
  std::string checkAtRest() const;

private:
  char *region(uint32_t from, uint32_t to) const;

  const uint32_t world;
  std::vector<std::unique_ptr<runtime::Memory>> shared, own; // by rank
  std::vector<std::vector<rcclx_peer>> peers;                // by rank
};

} // namespace rcclx::adversary

#endif // RCCLX_TESTS_ADVERSARY_FABRIC_H
