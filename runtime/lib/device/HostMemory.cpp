//===- HostMemory.cpp - Memory that host ranks share ----------------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "HostMemory.h"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

namespace rcclx::runtime {
namespace {

struct MapTraits {
  struct Value {
    void *address;
    size_t bytes;
    bool operator==(const Value &) const = default;
  };
  static Value null() { return {nullptr, 0}; }
  static void close(Value map) { munmap(map.address, map.bytes); }
};
using UniqueMap = UniqueHandle<MapTraits>;

/// One mapping of a memfd, shared by all ranks of this process that use it.
struct Mapping {
  UniqueFd fd;
  UniqueMap map;
  uint64_t key;
};

/// A part of a mapping.
class HostMemory final : public Memory {
public:
  HostMemory(std::shared_ptr<Mapping> mapping, uint64_t offset)
      : mapping(std::move(mapping)), offset(offset) {}
  char *data() const override {
    return static_cast<char *>(mapping->map.get().address) + offset;
  }

  const std::shared_ptr<Mapping> mapping;
  const uint64_t offset;
};

/// The memory of this process that peers may ask for. It owns nothing: ranks
/// do. Ranks of one process find each other's memory here, since a mapping per
/// pair of ranks would exceed the kernel's limit on mappings at 256 ranks.
class Registry {
public:
  static Registry &get() {
    static Registry *registry = new Registry; // outlives every static
    return *registry;
  }

  /// Random for each process. A child of fork is another process: it maps its
  /// parent's memory by descriptor.
  Status identify(uint64_t (&out)[2]) {
    std::lock_guard lock(mutex);
    if (owner != getpid()) {
      if (getrandom(identity, sizeof(identity), 0) != sizeof(identity))
        return systemError(errno, "getrandom");
      owner = getpid();
    }
    out[0] = identity[0];
    out[1] = identity[1];
    return Status();
  }

  void add(const std::shared_ptr<Mapping> &mapping) {
    std::lock_guard lock(mutex);
    std::erase_if(mappings, [](auto &entry) { return entry.second.expired(); });
    mapping->key = nextKey++;
    mappings[mapping->key] = mapping;
  }

  std::shared_ptr<Mapping> find(uint64_t key) {
    std::lock_guard lock(mutex);
    auto it = mappings.find(key);
    return it == mappings.end() ? nullptr : it->second.lock();
  }

private:
  std::mutex mutex;
  pid_t owner = 0;
  uint64_t identity[2] = {};
  uint64_t nextKey = 1;
  std::map<uint64_t, std::weak_ptr<Mapping>> mappings;
};

} // namespace

static Expected<UniqueMap> mapShared(int fd, uint64_t offset, uint64_t bytes) {
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, fd, off_t(offset));
  if (address == MAP_FAILED)
    return systemError(errno, fmt::format("mmap of {} bytes", bytes));
  return UniqueMap({address, bytes});
}

Expected<std::unique_ptr<Memory>> allocateHostMemory(uint64_t bytes) {
  auto mapping = std::make_shared<Mapping>();
  mapping->fd.reset(memfd_create("rcclx", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!mapping->fd)
    return systemError(errno, "memfd_create");
  // Sealed, so that no peer can shrink it under a running kernel.
  if (ftruncate(mapping->fd.get(), off_t(bytes)) != 0 ||
      fcntl(mapping->fd.get(), F_ADD_SEALS,
            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return systemError(errno, fmt::format("memory of {} bytes", bytes));
  RCCLX_ASSIGN_OR_RETURN(mapping->map, mapShared(mapping->fd.get(), 0, bytes));
  Registry::get().add(mapping);
  return std::unique_ptr<Memory>(new HostMemory(std::move(mapping), 0));
}

Expected<UniqueFd> exportHostMemory(const Memory &memory, MemoryName &name) {
  const Mapping &mapping = *static_cast<const HostMemory &>(memory).mapping;
  UniqueFd fd(fcntl(mapping.fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd)
    return systemError(errno, "descriptor of shared memory");
  RCCLX_RETURN_IF_ERROR(Registry::get().identify(name.process));
  name.key = mapping.key;
  name.bytes = mapping.map.get().bytes;
  return fd;
}

bool isLocalHostMemory(const MemoryName &name) {
  uint64_t self[2];
  return Registry::get().identify(self).isOk() && self[0] == name.process[0] &&
         self[1] == name.process[1];
}

Expected<std::unique_ptr<Memory>> importHostMemory(const MemoryName &name,
                                                   int fd, uint64_t offset,
                                                   uint64_t bytes) {
  if (offset > name.bytes || bytes > name.bytes - offset)
    return makeError(Code::InvalidArgument,
                     "a peer's memory has {} bytes; {} at {} are needed",
                     name.bytes, bytes, offset);
  if (isLocalHostMemory(name)) {
    std::shared_ptr<Mapping> mapping = Registry::get().find(name.key);
    if (!mapping || mapping->map.get().bytes != name.bytes)
      return makeError(Code::InvalidArgument,
                       "a peer's memory is not there any more");
    return std::unique_ptr<Memory>(new HostMemory(std::move(mapping), offset));
  }
  // The peer states the size; only the file's own size and seals make it safe.
  struct stat info;
  if (fstat(fd, &info) != 0 || uint64_t(info.st_size) != name.bytes ||
      !(fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK))
    return makeError(Code::InvalidArgument,
                     "a peer sent a descriptor that is no memory of rcclx");
  auto mapping = std::make_shared<Mapping>();
  RCCLX_ASSIGN_OR_RETURN(mapping->map, mapShared(fd, offset, bytes));
  return std::unique_ptr<Memory>(new HostMemory(std::move(mapping), 0));
}

} // namespace rcclx::runtime
