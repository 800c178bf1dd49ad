# The same kernels, instrumented. They come from a build with the compiler:
# `./scripts/test.sh tsan` makes it first. Ranks are threads of one process, and
# see each other's memory at one address, or no race would be seen: that is what
# the races found below prove, for the fabric of the tests and for the runtime.

# The order that kernels have on the host ...
rcclx_adversary_plans(tsan --tsan --portable --worlds 2,3 --variants 1)
# ... and that which they have where acquire and release are fences.
rcclx_adversary_plans(strict --tsan --portable --worlds 2,3 --variants 1 --strict)

foreach(fixture tsan strict)
  foreach(world 2 3)
    foreach(mode threads api)
      rcclx_adversary(${fixture}.${mode}.${world} ${fixture} --mode ${mode}
        --world ${world} --seed ${world} --calls 1000 --full-calls 20000)
    endforeach()
  endforeach()
endforeach()

set(make "--tsan --portable --worlds 3 --variants 1")
set(run "--world 3 --calls 500")
foreach(edit relaxed-load relaxed-store relaxed-wait relaxed-signal
             relaxed-started-wait relaxed-started)
  rcclx_adversary_finds(race ${edit}
    "${make} --edit ${edit} --only all_reduce_one_shot,broadcast_direct,all_gather_ring"
    "${run} --mode api")
endforeach()

# Each acquire and release of a kernel alone. Redundant are those of a stage
# that has no wait or no signal.
function(rcclx_adversary_finds_drops schedule)
  rcclx_adversary_finds(drops drops-${schedule}
    "${make} --strict --protocols flag --only ${schedule}" "${run} --mode threads" ${ARGN})
endfunction()
rcclx_adversary_finds_drops(reduce_direct)
rcclx_adversary_finds_drops(all_reduce_one_shot_pull)
rcclx_adversary_finds_drops(scatter_direct --redundant "acquire 1,release 1")
rcclx_adversary_finds_drops(broadcast_binomial --redundant "acquire 0,release 0")
