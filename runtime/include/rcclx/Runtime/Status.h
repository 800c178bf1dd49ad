//===- Status.h - The result of everything that can fail --------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_STATUS_H
#define RCCLX_RUNTIME_STATUS_H

#include <cassert>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace rcclx::runtime {

/// What the caller should do about an error. The values are those of
/// `rcclx_result` in rcclx.h and never change.
enum class Code : int {
  Ok = 0,
  /// The arguments are wrong whatever the state: correct the call.
  InvalidArgument = 1,
  /// The call is wrong in this state (concurrent entry, a plan of another
  /// communicator): correct the order of the calls.
  InvalidUsage = 2,
  /// The schedule has an error, or cannot be proved: correct the schedule.
  Schedule = 3,
  /// A device, library, target or compiler is absent: install or configure it.
  Unavailable = 4,
  /// The operating system refused (limits, permissions, space): correct the
  /// machine, then retry.
  System = 5,
  /// Another rank failed or left: make a new communicator without it.
  Remote = 6,
  /// Another rank was not seen in time: make a new communicator.
  Timeout = 7,
  /// This communicator was aborted by its own user: destroy it.
  Aborted = 8,
  /// A stored file is damaged. Callers inside the runtime treat it as a miss.
  Corrupt = 9,
  /// A defect in rcclx: report it.
  Internal = 10,
};

/// Name of `code` for people, such as "invalid argument". Never null.
const char *codeName(Code code);

/// OK, or a code and a message. OK is a null pointer; an error is shared and
/// immutable, so the sticky error of a communicator is returned by any thread
/// without a copy of its text.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message)
      : error(std::make_shared<const Error>(Error{code, std::move(message)})) {
    assert(code != Code::Ok && "an error needs an error code");
  }

  bool isOk() const { return !error; }
  Code code() const { return error ? error->code : Code::Ok; }
  /// Empty when OK. No trailing newline.
  const std::string &message() const;

  /// The same error with "CONTEXT: " before its message; OK stays OK.
  Status annotate(std::string_view context) const;
  /// Joins a clean-up error to this one. The first error's code wins.
  Status join(const Status &later) const;

private:
  struct Error {
    Code code;
    std::string message;
  };
  std::shared_ptr<const Error> error;
};

/// Makes an error with a formatted message.
template <typename... Args>
Status makeError(Code code, fmt::format_string<Args...> format,
                 Args &&...args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

/// As makeError(System, ...), with ": strerror(errnum)" appended.
Status systemError(int errnum, std::string_view what);

/// A value, or the error that explains its absence.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : storage(std::in_place_index<1>, std::move(value)) {}
  Expected(Status status) : storage(std::in_place_index<0>, std::move(status)) {
    assert(!std::get<0>(storage).isOk() && "OK is not a value");
  }

  bool isOk() const { return storage.index() == 1; }
  explicit operator bool() const { return isOk(); }
  Status status() const { return isOk() ? Status() : std::get<0>(storage); }

  T &operator*() & { return std::get<1>(storage); }
  const T &operator*() const & { return std::get<1>(storage); }
  T &&operator*() && { return std::get<1>(std::move(storage)); }
  T *operator->() { return &std::get<1>(storage); }
  const T *operator->() const { return &std::get<1>(storage); }

private:
  std::variant<Status, T> storage;
};

} // namespace rcclx::runtime

#define RCCLX_CONCAT_IMPL(a, b) a##b
#define RCCLX_CONCAT(a, b) RCCLX_CONCAT_IMPL(a, b)

/// Returns the error of `expr` from the enclosing function, if it is one.
#define RCCLX_RETURN_IF_ERROR(expr)                                            \
  do {                                                                         \
    if (::rcclx::runtime::Status rcclxStatus = (expr); !rcclxStatus.isOk())    \
      return rcclxStatus;                                                      \
  } while (false)

#define RCCLX_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr)                            \
  auto tmp = (expr);                                                           \
  if (!tmp.isOk())                                                             \
    return tmp.status();                                                       \
  lhs = *std::move(tmp)
/// `lhs` (a declaration or a variable) takes the value of `expr`; its error is
/// returned from the enclosing function.
#define RCCLX_ASSIGN_OR_RETURN(lhs, expr)                                      \
  RCCLX_ASSIGN_OR_RETURN_IMPL(RCCLX_CONCAT(rcclxExpected, __LINE__), lhs, expr)

#endif // RCCLX_RUNTIME_STATUS_H
