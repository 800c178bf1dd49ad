//===- LinkElf.cpp - lld in this process ----------------------------------===//
//
// Part of rcclx. Compiled without RTTI, as lld's static libraries are.
//
//===----------------------------------------------------------------------===//
#include "LinkElf.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace rcclx {

/// The object as a file in memory, which lld can open by a path.
static Expected<int> openInMemory(ArrayRef<char> bytes) {
  int fd = memfd_create("rcclx-object", MFD_CLOEXEC);
  if (fd < 0)
    return createStringError(errnoAsErrorCode(), "cannot link: memfd_create");
  raw_fd_ostream stream(fd, /*shouldClose=*/false);
  stream.write(bytes.data(), bytes.size());
  stream.flush();
  if (std::error_code ec = stream.error()) {
    stream.clear_error();
    close(fd);
    return createStringError(ec, "cannot link: write to memory file");
  }
  return fd;
}

Expected<std::vector<char>> linkElf(ArrayRef<char> object,
                                    ArrayRef<const char *> flags) {
  Expected<int> fd = openInMemory(object);
  if (!fd)
    return fd.takeError();
  scope_exit closeInput([&] { close(*fd); });
  std::string input = "/proc/self/fd/" + std::to_string(*fd);

  // lld creates its output beside the final name and renames it, so that one
  // has to be a real path.
  SmallString<128> path;
  if (std::error_code ec =
          sys::fs::createTemporaryFile("rcclx-link", "so", path))
    return createStringError(ec, "cannot link: no temporary file in " +
                                     sys::path::parent_path(path));
  scope_exit removeOutput([&] { (void)sys::fs::remove(path); });

  SmallVector<const char *, 16> args = {"ld.lld", "--threads=1", "-shared",
                                        "--build-id=none"};
  args.append(flags.begin(), flags.end());
  args.append({"-o", path.c_str(), input.c_str()});

  std::string log;
  raw_string_ostream logStream(log);
  lld::Result result;
  {
    // lld keeps its state in globals; two threads in it crash.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    // Its crash recovery stays off: it would replace the signal handlers of the
    // process. So a fatal error of lld ends the process, but those come from
    // damaged objects, and this one is clang's.
    result =
        lld::lldMain(args, logStream, logStream, {{lld::Gnu, &lld::elf::link}});
  }
  if (result.retCode != 0)
    return createStringError(StringRef(log).rtrim());

  auto output = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!output)
    return createStringError(output.getError(), "cannot read linked " + path);
  StringRef bytes = (*output)->getBuffer();
  return std::vector<char>(bytes.begin(), bytes.end());
}

} // namespace rcclx
