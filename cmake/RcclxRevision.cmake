# Writes OUTPUT, a header with the revision of the sources in SOURCE, when it has
# changed. Run at build time: a configured build outlives many revisions.
cmake_minimum_required(VERSION 3.25)
set(revision "unknown")
find_program(git git)
if(git)
  # Without locks: others may use the repository at the same time.
  set(run ${git} --no-optional-locks -C ${SOURCE})
  execute_process(COMMAND ${run} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE head RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(revision ${head})
    execute_process(COMMAND ${run} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND revision ", modified")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#define RCCLX_REVISION \"@revision@\"\n")
