//===- BaseTest.cpp - Status, settings, handles, libraries ----------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "RuntimeTesting.h"

#include "rcclx/Runtime/DynamicLibrary.h"
#include "rcclx/Runtime/Options.h"
#include "rcclx/Runtime/UniqueHandle.h"
#include "rcclx/rcclx.h"

#include <fcntl.h>

using namespace rcclx::runtime;

namespace {

TEST(StatusTest, okHasNoMessage) {
  Status ok;
  EXPECT_TRUE(ok.isOk());
  EXPECT_EQ(ok.code(), Code::Ok);
  EXPECT_EQ(ok.message(), "");
  EXPECT_TRUE(ok.annotate("context").isOk());
  EXPECT_TRUE(ok.join(Status()).isOk());
}

TEST(StatusTest, contextGoesBeforeAndLaterErrorsBehind) {
  Status first = makeError(Code::Remote, "rank {} died", 3);
  EXPECT_EQ(first.annotate("all_reduce").message(), "all_reduce: rank 3 died");
  Status both = first.join(Status(Code::System, "close failed"));
  EXPECT_EQ(both.code(), Code::Remote);
  EXPECT_EQ(both.message(), "rank 3 died (then: close failed)");
  EXPECT_EQ(Status().join(first).code(), Code::Remote);
}

TEST(StatusTest, codesAreThoseOfTheInterface) {
  EXPECT_EQ(int(Code::InvalidArgument), RCCLX_INVALID_ARGUMENT);
  EXPECT_EQ(int(Code::InvalidUsage), RCCLX_INVALID_USAGE);
  EXPECT_EQ(int(Code::Schedule), RCCLX_SCHEDULE_ERROR);
  EXPECT_EQ(int(Code::Unavailable), RCCLX_UNAVAILABLE);
  EXPECT_EQ(int(Code::System), RCCLX_SYSTEM_ERROR);
  EXPECT_EQ(int(Code::Remote), RCCLX_REMOTE_ERROR);
  EXPECT_EQ(int(Code::Timeout), RCCLX_TIMEOUT);
  EXPECT_EQ(int(Code::Aborted), RCCLX_ABORTED);
  EXPECT_EQ(int(Code::Corrupt), RCCLX_CORRUPT);
  EXPECT_EQ(int(Code::Internal), RCCLX_INTERNAL_ERROR);
}

static Expected<int> half(int x) {
  if (x % 2)
    return makeError(Code::InvalidArgument, "{} is odd", x);
  return x / 2;
}
static Expected<int> quarter(int x) {
  RCCLX_ASSIGN_OR_RETURN(int first, half(x));
  RCCLX_ASSIGN_OR_RETURN(int second, half(first));
  return second;
}

TEST(ExpectedTest, holdsAValueOrAnError) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_TRUE(quarter(8).status().isOk());
  EXPECT_ERROR(quarter(6).status(), Code::InvalidArgument, "3 is odd");
}

TEST(UniqueHandleTest, closesOnce) {
  int raw = open("/dev/null", O_RDONLY | O_CLOEXEC);
  {
    UniqueFd a(raw);
    UniqueFd b(std::move(a));
    EXPECT_FALSE(a);
    EXPECT_EQ(b.get(), raw);
    EXPECT_EQ(fcntl(raw, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(fcntl(raw, F_GETFD), -1);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static Expected<Options> parse(std::vector<const char *> environment,
                               std::vector<std::string> *warnings = nullptr) {
  environment.push_back(nullptr);
  std::vector<std::string> ignored;
  return Options::parse(environment.data(), warnings ? *warnings : ignored);
}

TEST(OptionsTest, defaults) {
  auto options = parse({"HOME=/home/u", "PATH=/bin"});
  ASSERT_OK(options.status());
  EXPECT_EQ(options->timeoutMs.value, 30000u);
  EXPECT_EQ(options->logLevel, LogLevel::Warning);
  EXPECT_EQ(options->effectiveCacheDir(), "/home/u/.cache/rcclx");
}

TEST(OptionsTest, cacheDirectoryFollowsXdg) {
  EXPECT_EQ(parse({"XDG_CACHE_HOME=/x", "HOME=/h"})->effectiveCacheDir(),
            "/x/rcclx");
  // A relative path is to be ignored, says the specification.
  EXPECT_EQ(parse({"XDG_CACHE_HOME=x", "HOME=/h"})->effectiveCacheDir(),
            "/h/.cache/rcclx");
  EXPECT_EQ(parse({"RCCLX_CACHE_DIR=/c", "HOME=/h"})->effectiveCacheDir(),
            "/c");
  EXPECT_EQ(parse({})->effectiveCacheDir(), "");
}

TEST(OptionsTest, badValuesAreNamed) {
  for (const char *bad :
       {"RCCLX_TIMEOUT_MS=", "RCCLX_TIMEOUT_MS=0", "RCCLX_TIMEOUT_MS=-1",
        "RCCLX_TIMEOUT_MS=1s", "RCCLX_TIMEOUT_MS=99999999999999999999"})
    EXPECT_ERROR(parse({bad}).status(), Code::InvalidArgument,
                 "RCCLX_TIMEOUT_MS=");
  EXPECT_ERROR(parse({"RCCLX_LOG=loud"}).status(), Code::InvalidArgument,
               "RCCLX_LOG=\"loud\"");
  EXPECT_EQ(parse({"RCCLX_TIMEOUT_MS=5"})->timeoutMs.value, 5u);
}

TEST(OptionsTest, unknownNamesGetASuggestion) {
  std::vector<std::string> warnings;
  // RCCLX_TEST_* belongs to the tests.
  ASSERT_OK(parse({"RCCLX_TIMOUT_MS=5", "RCCL_DEBUG=1", "RCCLX_TEST_FULL=1"},
                  &warnings)
                .status());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("RCCLX_TIMOUT_MS"), std::string::npos);
  EXPECT_NE(warnings[0].find("did you mean RCCLX_TIMEOUT_MS"),
            std::string::npos);
}

TEST(OptionsTest, everyRowIsDocumented) {
  EXPECT_GE(optionDocs().size(), 6u);
  for (const OptionDoc &option : optionDocs()) {
    EXPECT_TRUE(std::string(option.variable).starts_with("RCCLX_"));
    EXPECT_GT(std::string(option.documentation).size(), 20u);
  }
}

//===----------------------------------------------------------------------===//
// Log
//===----------------------------------------------------------------------===//

static std::string lastLine;

TEST(LogTest, formatsOnlyEnabledLevels) {
  setLogSink([](LogLevel, std::string_view line) { lastLine = line; });
  setLogLevel(LogLevel::Warning);
  int evaluated = 0;
  RCCLX_LOG(Info, "test", "{}", ++evaluated);
  EXPECT_EQ(evaluated, 0);
  RCCLX_LOG(Warning, "test", "value {}", ++evaluated);
  EXPECT_EQ(evaluated, 1);
  EXPECT_NE(lastLine.find("rcclx warning test: value 1"), std::string::npos);
  setLogSink(nullptr);
}

//===----------------------------------------------------------------------===//
// DynamicLibrary
//===----------------------------------------------------------------------===//

TEST(DynamicLibraryTest, listsEveryPathTried) {
  const std::string none[] = {"libnone-a.so", "/none/libnone-b.so"};
  Status status = DynamicLibrary::open("the none library", none).status();
  EXPECT_ERROR(status, Code::Unavailable, "the none library");
  EXPECT_ERROR(status, Code::Unavailable, "libnone-a.so");
  EXPECT_ERROR(status, Code::Unavailable, "/none/libnone-b.so");
}

#define MATH_SYMBOLS(X)                                                        \
  X(Required, cos, double(double))                                             \
  X(Optional, rcclx_no_such_symbol, void())
struct MathSymbols {
  MATH_SYMBOLS(RCCLX_DECLARE_SYMBOL)
};

TEST(DynamicLibraryTest, resolvesRequiredAndOptionalSymbols) {
  const std::string names[] = {"libnone.so", "libm.so.6"};
  auto library = DynamicLibrary::open("mathematics", names);
  ASSERT_OK(library.status());
  EXPECT_EQ(library->path(), "libm.so.6");
  MathSymbols s;
  const SymbolEntry table[] = {MATH_SYMBOLS(RCCLX_SYMBOL_ENTRY)};
  ASSERT_OK(library->resolve(table));
  EXPECT_EQ(s.cos(0.0), 1.0);
  EXPECT_EQ(s.rcclx_no_such_symbol, nullptr);

  void *slot = nullptr;
  const SymbolEntry absent[] = {{Presence::Required, "absent_one", &slot},
                                {Presence::Required, "absent_two", &slot}};
  EXPECT_ERROR(library->resolve(absent), Code::Unavailable,
               "absent_one, absent_two");
}

} // namespace
