//===- HostMemory.h - Memory that host ranks share --------------*- C++ -*-===//
//
// Part of rcclx. memfd_create: the kernel frees the memory with its last
// mapping and descriptor, however a process ends, so nothing can be left over.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_DEVICE_HOSTMEMORY_H
#define RCCLX_RUNTIME_DEVICE_HOSTMEMORY_H

#include "rcclx/Runtime/Device.h"

namespace rcclx::runtime {

Expected<std::unique_ptr<Memory>> allocateHostMemory(uint64_t bytes);
Expected<UniqueFd> exportHostMemory(const Memory &memory, MemoryName &name);
bool isLocalHostMemory(const MemoryName &name);
Expected<std::unique_ptr<Memory>> importHostMemory(const MemoryName &name,
                                                   int fd, uint64_t offset,
                                                   uint64_t bytes);

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_DEVICE_HOSTMEMORY_H
