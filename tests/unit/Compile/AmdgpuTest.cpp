//===- AmdgpuTest.cpp - sources that become AMD code objects --------------===//
//
// Part of rcclx.
//
//===----------------------------------------------------------------------===//
#include "CompileTesting.h"
#include "rcclx/CodeGen/Compile.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>
#include <thread>

namespace rcclx {
namespace {

using namespace llvm::ELF;

constexpr const char *scaleSource = R"(
  extern "C" __attribute__((global)) void scale(float *x, float a) {
    unsigned i = __builtin_amdgcn_workgroup_id_x() * 256 +
                 __builtin_amdgcn_workitem_id_x();
    x[i] = x[i] * a + 1.0f;
  })";

Elf64_Ehdr headerOf(const std::vector<char> &object) {
  Elf64_Ehdr header = {};
  if (object.size() >= sizeof(header))
    std::memcpy(&header, object.data(), sizeof(header));
  return header;
}

struct Arch {
  const char *name;
  unsigned mach;
};
void PrintTo(const Arch &arch, std::ostream *os) { *os << arch.name; }

// The loader of HIP compares these numbers with the device's.
constexpr Arch archs[] = {
    {"gfx90a", EF_AMDGPU_MACH_AMDGCN_GFX90A},
    {"gfx942", EF_AMDGPU_MACH_AMDGCN_GFX942},
    {"gfx950", EF_AMDGPU_MACH_AMDGCN_GFX950},
    {"gfx1030", EF_AMDGPU_MACH_AMDGCN_GFX1030},
    {"gfx1100", EF_AMDGPU_MACH_AMDGCN_GFX1100},
    {"gfx1151", EF_AMDGPU_MACH_AMDGCN_GFX1151},
    {"gfx1201", EF_AMDGPU_MACH_AMDGCN_GFX1201},
};

class CompileAmdgpuArch : public testing::TestWithParam<Arch> {};

TEST_P(CompileAmdgpuArch, GivesACodeObject) {
  std::vector<char> object =
      bytesOf(compileAmdgpu(scaleSource, GetParam().name));
  Elf64_Ehdr header = headerOf(object);
  ASSERT_TRUE(header.checkMagic());
  EXPECT_EQ(header.e_machine, EM_AMDGPU);
  EXPECT_EQ(header.e_type, ET_DYN);
  EXPECT_EQ(header.e_ident[EI_OSABI], ELFOSABI_AMDGPU_HSA);
  EXPECT_EQ(header.e_ident[EI_ABIVERSION], ELFABIVERSION_AMDGPU_HSA_V6);
  EXPECT_EQ(header.e_flags & EF_AMDGPU_MACH, GetParam().mach);
  std::string bytes(object.begin(), object.end());
  EXPECT_NE(bytes.find("scale.kd"), std::string::npos)
      << "no kernel descriptor";
}

INSTANTIATE_TEST_SUITE_P(All, CompileAmdgpuArch, testing::ValuesIn(archs),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(CompileAmdgpu, EveryKnownArchIsTested) {
  ASSERT_EQ(amdgpuArchs().size(), std::size(archs));
  for (size_t i = 0; i < std::size(archs); ++i)
    EXPECT_EQ(amdgpuArchs()[i], archs[i].name);
}

TEST(CompileAmdgpu, CodeObjectVersion) {
  const unsigned abi[] = {ELFABIVERSION_AMDGPU_HSA_V4,
                          ELFABIVERSION_AMDGPU_HSA_V5,
                          ELFABIVERSION_AMDGPU_HSA_V6};
  for (unsigned version = 4; version <= 6; ++version) {
    AmdgpuCompileOptions options;
    options.codeObjectVersion = version;
    Elf64_Ehdr header =
        headerOf(bytesOf(compileAmdgpu(scaleSource, "gfx942", options)));
    EXPECT_EQ(header.e_ident[EI_ABIVERSION], abi[version - 4]);
  }
  for (unsigned version : {0u, 3u, 7u}) {
    AmdgpuCompileOptions options;
    options.codeObjectVersion = version;
    EXPECT_NE(errorOf(compileAmdgpu(scaleSource, "gfx942", options)), "");
  }
}

TEST(CompileAmdgpu, AssemblyIsText) {
  AmdgpuCompileOptions options;
  options.emitAssembly = true;
  std::vector<char> text =
      bytesOf(compileAmdgpu(scaleSource, "gfx942", options));
  std::string assembly(text.begin(), text.end());
  EXPECT_NE(assembly.find(".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\""),
            std::string::npos);
  EXPECT_NE(assembly.find("global_store_dword"), std::string::npos);
  EXPECT_NE(assembly.find(".private_segment_fixed_size: 0"), std::string::npos);
  // Two roundings, as on the host.
  EXPECT_EQ(assembly.find("v_fma"), std::string::npos);
}

TEST(CompileAmdgpu, DivisionIsCorrectlyRounded) {
  // docs/Numerics.md divides for `avg`; the short sequence is off by an ulp.
  AmdgpuCompileOptions options;
  options.emitAssembly = true;
  for (llvm::StringRef arch : amdgpuArchs()) {
    std::vector<char> text = bytesOf(compileAmdgpu(R"(
      extern "C" __attribute__((global)) void divide(float *x, float by) {
        x[0] = x[0] / by;
      })",
                                                   arch, options));
    std::string assembly(text.begin(), text.end());
    EXPECT_NE(assembly.find("v_div_fixup_f32"), std::string::npos)
        << arch.str();
  }
}

TEST(CompileAmdgpu, UnknownArchIsRefusedWithTheKnownOnes) {
  for (const char *arch : {"gfx9999", "", "garbage", "gfx90a:xnack-", "sm_90",
                           "gfx942 ", "x86-64"}) {
    std::string error = errorOf(compileAmdgpu(scaleSource, arch));
    EXPECT_NE(error.find("'" + std::string(arch) + "'; known are gfx90a, "),
              std::string::npos)
        << error;
  }
}

TEST(CompileAmdgpu, GarbageIsAnErrorWithFileAndLine) {
  expectSilent([] {
    std::string error = errorOf(compileAmdgpu("\n\nnonsense", "gfx942"));
    EXPECT_NE(error.find("gpu.hip.cpp:3:1: error:"), std::string::npos)
        << error;
  });
}

TEST(CompileAmdgpu, UndefinedSymbolIsNamed) {
  expectSilent([] {
    std::string error = errorOf(compileAmdgpu(R"(
      __attribute__((device)) void absent(float *);
      extern "C" __attribute__((global)) void k(float *x) { absent(x); })",
                                              "gfx942"));
    EXPECT_NE(error.find("absent"), std::string::npos) << error;
  });
}

TEST(CompileAmdgpu, BadInlineAssemblyIsAnError) {
  expectSilent([] {
    std::string error = errorOf(compileAmdgpu(
        "extern \"C\" __attribute__((global)) void k() { asm(\"v_nope\"); }",
        "gfx942"));
    EXPECT_NE(error.find("error: invalid instruction"), std::string::npos)
        << error;
  });
}

TEST(CompileAmdgpu, FourThreadsWithTheHostAmongThem) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 4; ++i) {
        if ((i + t) % 2)
          EXPECT_EQ(errorOf(compileHost("extern \"C\" void f() {}")), "");
        else
          EXPECT_EQ(
              errorOf(compileAmdgpu(scaleSource, amdgpuArchs()[(i + t) % 7])),
              "");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace rcclx
