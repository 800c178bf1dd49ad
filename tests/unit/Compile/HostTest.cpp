//===- HostTest.cpp - sources that become host shared objects -------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "CompileTesting.h"
#include "rcclx/CodeGen/Compile.h"
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace rcclx {
namespace {

/// A shared object that is open while this lives.
class Loaded {
public:
  explicit Loaded(const std::vector<char> &bytes) {
    int fd = memfd_create("host-test", MFD_CLOEXEC);
    EXPECT_EQ(write(fd, bytes.data(), bytes.size()), ssize_t(bytes.size()));
    std::string path = "/proc/self/fd/" + std::to_string(fd);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      ADD_FAILURE() << dlerror();
    close(fd);
  }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;
  ~Loaded() {
    if (handle)
      dlclose(handle);
  }

  template <typename Function> Function *find(const char *name) const {
    return handle ? reinterpret_cast<Function *>(dlsym(handle, name)) : nullptr;
  }

private:
  void *handle = nullptr;
};

constexpr const char *kernelMacro =
    "#define KERNEL extern \"C\" __attribute__((visibility(\"default\")))\n";

std::string kernel(const std::string &body) { return kernelMacro + body; }

TEST(CompileHost, GivesTheRightNumbers) {
  Loaded object(bytesOf(compileHost(kernel(R"(
    KERNEL void axpy(float a, const float *x, float *y, unsigned long n) {
      for (unsigned long i = 0; i < n; ++i)
        y[i] += a * x[i];
    })"))));
  auto *axpy =
      object.find<void(float, const float *, float *, unsigned long)>("axpy");
  ASSERT_NE(axpy, nullptr);
  std::vector<float> x(1003), y(1003);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i), y[i] = 1.0f;
  axpy(2.0f, x.data(), y.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], 2.0f * float(i) + 1.0f) << i;
}

TEST(CompileHost, DoesNotContract) {
  Loaded object(bytesOf(compileHost(kernel(
      "KERNEL float f(float a, float b, float c) { return a*b + c; }"))));
  auto *f = object.find<float(float, float, float)>("f");
  ASSERT_NE(f, nullptr);
  // a*a is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11; fused, the result
  // would be 2^-24.
  volatile float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(f(a, a, -(1.0f + 0x1p-11f)), 0.0f);
}

TEST(CompileHost, MayCopyAndFill) {
  // Loops that clang turns into calls.
  Loaded object(bytesOf(compileHost(kernel(R"(
    KERNEL void copy(char *__restrict to, const char *__restrict from,
                     unsigned long n) {
      for (unsigned long i = 0; i < n; ++i) to[i] = from[i];
    }
    KERNEL void shift(char *p, unsigned long n) { __builtin_memmove(p + 1, p, n); }
    KERNEL void clear(char *to, unsigned long n) {
      for (unsigned long i = 0; i < n; ++i) to[i] = 0;
    })"))));
  auto *copy = object.find<void(char *, const char *, unsigned long)>("copy");
  auto *shift = object.find<void(char *, unsigned long)>("shift");
  auto *clear = object.find<void(char *, unsigned long)>("clear");
  ASSERT_TRUE(copy && shift && clear);
  char text[8] = {};
  copy(text, "abc", 3);
  shift(text, 3);
  EXPECT_STREQ(text, "aabc");
  clear(text, 2);
  EXPECT_EQ(std::memcmp(text, "\0\0bc", 5), 0);
}

TEST(CompileHost, ExportsOnlyWhatIsMarked) {
  Loaded object(bytesOf(compileHost(kernel(R"(
    extern "C" int helper(int x) { return x + 1; }
    KERNEL int visible(int x) { return helper(x); })"))));
  EXPECT_NE(object.find<int(int)>("visible"), nullptr);
  EXPECT_EQ(object.find<int(int)>("helper"), nullptr);
}

TEST(CompileHost, GarbageIsAnErrorWithFileAndLine) {
  expectSilent([] {
    HostCompileOptions options;
    options.sourceName = "plan.hip.cpp";
    std::string error =
        errorOf(compileHost("int ok;\nthese are not C++;\n", options));
    EXPECT_NE(error.find("plan.hip.cpp:2:1: error: unknown type name 'these'"),
              std::string::npos)
        << error;
  });
}

TEST(CompileHost, BytesThatAreNoTextAreAnError) {
  expectSilent([] {
    std::string bytes;
    for (int i = 0; i < 4096; ++i)
      bytes.push_back(char(i * 37 + i / 7));
    EXPECT_NE(errorOf(compileHost(bytes)), "");
    EXPECT_NE(errorOf(compileHost(std::string(100000, '('))), "");
    EXPECT_NE(errorOf(compileHost(std::string(100000, '{'))), "");
  });
}

TEST(CompileHost, EmptySourceIsAnEmptyObject) {
  EXPECT_EQ(errorOf(compileHost("")), "");
}

TEST(CompileHost, IncludesFindNothing) {
  std::string error = errorOf(compileHost("#include <stdint.h>\n"));
  EXPECT_NE(error.find("'stdint.h' file not found"), std::string::npos)
      << error;
  error = errorOf(compileHost("#include \"/etc/passwd\"\n"));
  EXPECT_NE(error.find("file not found"), std::string::npos) << error;
}

TEST(CompileHost, BadInlineAssemblyIsAnError) {
  expectSilent([] {
    std::string error = errorOf(
        compileHost(kernel("KERNEL void f() { asm(\"no_such_insn\"); }")));
    EXPECT_NE(error.find("invalid instruction mnemonic 'no_such_insn'"),
              std::string::npos)
        << error;
  });
}

TEST(CompileHost, UndefinedSymbolsAreNamed) {
  std::string error = errorOf(compileHost(kernel(R"(
    extern "C" int printf(const char *, ...);
    extern "C" void zebra();
    extern "C" void *memcpy(void *, const void *, unsigned long);
    KERNEL void f(void *a, void *b, unsigned long n) {
      memcpy(a, b, n); printf("%p", a); zebra();
    })")));
  EXPECT_NE(error.find("undefined symbols: printf, zebra"), std::string::npos)
      << error;
}

TEST(CompileHost, ThreadSanitizerInstruments) {
  // Not opened here: the sanitizer's run time is not in this process.
  HostCompileOptions options;
  options.threadSanitizer = true;
  std::vector<char> object = bytesOf(
      compileHost(kernel("KERNEL void f(int *p) { *p = 1; }"), options));
  std::string bytes(object.begin(), object.end());
  EXPECT_NE(bytes.find("__tsan_write4"), std::string::npos);
}

TEST(CompileHost, FourThreadsAtOnce) {
  std::vector<std::vector<char>> objects(16);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&objects, t] {
      for (int i = t; i < 16; i += 4)
        objects[i] = bytesOf(compileHost(
            kernel("KERNEL int f() { return " + std::to_string(i) + "; }")));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 16; ++i) {
    Loaded object(objects[i]);
    auto *f = object.find<int()>("f");
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f(), i);
  }
}

TEST(HostCpuKey, IsStableAndNamesTheCpu) {
  llvm::StringRef key = hostCpuKey();
  EXPECT_EQ(key, hostCpuKey());
  auto [name, features] = key.rsplit('-');
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(features.size(), 16u);
}

} // namespace
} // namespace rcclx
