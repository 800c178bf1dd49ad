# Warnings, sanitizers and ccache, shared by both halves.
find_program(RCCLX_CCACHE ccache)
if(RCCLX_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${RCCLX_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RCCLX_CCACHE})
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
add_compile_options(-Wall -Wextra)
if(RCCLX_SANITIZE)
  # Not vptr: it needs RTTI of classes that cross to Debian's LLVM libraries.
  # Not enum: C callers may pass any value of an enum of rcclx.h, and get an error.
  add_compile_options(-fsanitize=${RCCLX_SANITIZE} -fno-sanitize=vptr,enum
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${RCCLX_SANITIZE})
endif()
