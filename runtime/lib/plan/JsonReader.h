//===- JsonReader.h - Checked access to untrusted JSON ----------*- C++ -*-===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_RUNTIME_PLAN_JSONREADER_H
#define RCCLX_RUNTIME_PLAN_JSONREADER_H

#include "rcclx/Runtime/Status.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace rcclx::runtime {

/// One value and its place in the document. Every getter checks type and range;
/// a failure is Corrupt with the path. Never throws. A reader refers to the
/// reader it came from, which must outlive it: the path is spelt only when a
/// message needs it, since large arrays are read element by element.
class JsonReader {
public:
  explicit JsonReader(const nlohmann::json &top) : value(top) {}
  JsonReader(const nlohmann::json &value, const JsonReader &parent,
             std::string_view key)
      : value(value), parent(&parent), key(key) {}
  JsonReader(const nlohmann::json &value, const JsonReader &parent,
             size_t index)
      : value(value), parent(&parent), index(index) {}

  Expected<JsonReader> member(const char *key) const {
    if (!value.is_object())
      return error("is not an object");
    auto it = value.find(key);
    if (it == value.end())
      return error(fmt::format("lacks \"{}\"", key));
    return JsonReader(*it, *this, key);
  }

  /// Number of elements of an array of at most `limit`.
  Expected<size_t> array(size_t limit) const {
    if (!value.is_array())
      return error("is not an array");
    if (value.size() > limit)
      return error(fmt::format("has more than {} elements", limit));
    return value.size();
  }
  JsonReader at(size_t i) const { return JsonReader(value[i], *this, i); }

  /// Numbers above 64 bits are read as floating point and refused here.
  template <typename Int>
  Status integer(Int &out, uint64_t low = 0,
                 uint64_t high = std::numeric_limits<Int>::max()) const {
    if (!value.is_number_unsigned())
      return error("is not a non-negative integer");
    auto number = value.get<uint64_t>();
    if (number < low || number > high)
      return error(fmt::format("is not in {}..{}", low, high));
    out = Int(number);
    return Status();
  }

  Status string(std::string &out, size_t limit = 256) const {
    if (!value.is_string())
      return error("is not a string");
    const auto &text = value.get_ref<const std::string &>();
    if (text.empty() || text.size() > limit)
      return error(fmt::format("is empty or longer than {} bytes", limit));
    if (text.find('\0') != std::string::npos)
      return error("contains a null character");
    out = text;
    return Status();
  }

  template <typename Int>
  Status memberInteger(const char *key, Int &out, uint64_t low = 0,
                       uint64_t high = std::numeric_limits<Int>::max()) const {
    RCCLX_ASSIGN_OR_RETURN(JsonReader field, member(key));
    return field.integer(out, low, high);
  }
  Status memberString(const char *key, std::string &out,
                      size_t limit = 256) const {
    RCCLX_ASSIGN_OR_RETURN(JsonReader field, member(key));
    return field.string(out, limit);
  }

  Status error(std::string_view what) const {
    return makeError(Code::Corrupt, "manifest.json: {} {}",
                     parent ? path() : "top level", what);
  }

  const nlohmann::json &json() const { return value; }

private:
  std::string path() const {
    if (!parent)
      return "";
    std::string prefix = parent->path();
    if (key.empty())
      return fmt::format("{}[{}]", prefix, index);
    return prefix.empty() ? std::string(key)
                          : fmt::format("{}.{}", prefix, key);
  }

  const nlohmann::json &value;
  const JsonReader *parent = nullptr;
  std::string_view key; // empty: `index` is the place in the parent
  size_t index = 0;
};

} // namespace rcclx::runtime

#endif // RCCLX_RUNTIME_PLAN_JSONREADER_H
