//===- UniqueHandle.h - One owner for handles of C libraries ----*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_UNIQUEHANDLE_H
#define RCCLX_RUNTIME_UNIQUEHANDLE_H

#include <unistd.h>
#include <utility>

namespace rcclx::runtime {

/// Owns one handle. `Traits` has a type `Value`, `static Value null()` and
/// `static void close(Value)`. Wrap a raw handle at the call that makes it.
template <typename Traits> class UniqueHandle {
public:
  using Value = typename Traits::Value;

  UniqueHandle() = default;
  explicit UniqueHandle(Value value) : value(value) {}
  UniqueHandle(UniqueHandle &&other) noexcept : value(other.release()) {}
  UniqueHandle &operator=(UniqueHandle &&other) noexcept {
    if (this != &other)
      reset(other.release());
    return *this;
  }
  ~UniqueHandle() { reset(); }

  Value get() const { return value; }
  explicit operator bool() const { return value != Traits::null(); }
  Value release() { return std::exchange(value, Traits::null()); }
  void reset(Value next = Traits::null()) {
    if (Value old = std::exchange(value, next); old != Traits::null())
      Traits::close(old);
  }

private:
  Value value = Traits::null();
};

struct FdTraits {
  using Value = int;
  static Value null() { return -1; }
  static void close(Value fd) { ::close(fd); }
};
/// Owns a file descriptor.
using UniqueFd = UniqueHandle<FdTraits>;

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_UNIQUEHANDLE_H
