// DEFINE: %{forbidden} = --implicit-check-not=__bf16 --implicit-check-not=INFINITY \
// DEFINE:   --implicit-check-not=uint64_t --implicit-check-not=uint32_t --implicit-check-not=#include \
// DEFINE:   --implicit-check-not=int64_t --implicit-check-not=_Float16 --implicit-check-not=std::
// RUN: rcclx-translate --rcclx-to-hip --lower="world=3 element=bf16 reduction=avg kind=gpu count=1000 protocol=flag" %schedules/all_reduce_one_shot.mlir | FileCheck %s %{forbidden} --implicit-check-not=NAN

// One kernel: names of the header only, constants of the plan in templates.
// CHECK: extern "C" RX_KERNEL(128) void rcclx_all_reduce_one_shot(RX_PARAMS [[P:v[0-9]+]], rcclx_u32 [[B:v[0-9]+]]) {
// CHECK: rx::Context [[BEGUN:v[0-9]+]] = rx::begin([[P]], [[B]]);
// CHECK: rx::Context* [[C:v[0-9]+]] = &
// CHECK: size_t [[RANK:v[0-9]+]] = rx::ownRank([[C]]);
// CHECK: rx::open<128>([[C]]);
// CHECK-NEXT: size_t [[TILES:v[0-9]+]] = rx::tiles<rx::BF16, 512, 1, 1>([[C]]);
// CHECK-NEXT: for (size_t [[TILE:i[0-9]+]] = {{.*}}; [[TILE]] < [[TILES]];
// CHECK-NEXT: bool [[ALIVE:v[0-9]+]] = rx::alive([[C]]);
// CHECK-NEXT: if ([[ALIVE]]) {
// Ranges, buffers and slots have left the element loop.
// CHECK: rx::Range [[R:v[0-9]+]] = rx::range<rx::BF16, 512, 1>
// CHECK: size_t [[PEER:v[0-9]+]] = rx::shift<3>([[RANK]],
// CHECK: rx::waitCredit<1, 4>([[C]], [[PEER]],
// CHECK: char* [[TO:v[0-9]+]] = rx::slotTo<rx::Flag, 512, 4>([[C]], [[PEER]],
// CHECK-NEXT: rx::put<rx::BF16, rx::Flag, 128>([[C]], [[R]], {{v[0-9]+}}, [[TO]]);
// CHECK-NEXT: rx::release([[C]]);
// CHECK-NEXT: rx::postMessage<1>([[C]], [[PEER]],
// CHECK: rx::waitMessage<1>
// CHECK: rx::acquire([[C]]);
// CHECK-COUNT-3: rx::slotFrom<rx::Flag, 512, 4>
// Three receives in rank order, in registers, then one store.
// CHECK: for (size_t
// CHECK-NEXT: rx::Pack [[Y0:v[0-9]+]] = rx::recvPack<rx::BF16, rx::Flag>
// CHECK-NEXT: rx::PackAcc<rx::BF16> [[A0:v[0-9]+]] = rx::reduce<rx::BF16, rx::Avg>({{v[0-9]+}}, [[Y0]]);
// CHECK-NEXT: rx::Pack [[Y1:v[0-9]+]] = rx::recvPack<rx::BF16, rx::Flag>
// CHECK-NEXT: rx::PackAcc<rx::BF16> [[A1:v[0-9]+]] = rx::reduce<rx::BF16, rx::Avg>([[A0]], [[Y1]]);
// CHECK-NEXT: rx::Pack [[Y2:v[0-9]+]] = rx::recvPack<rx::BF16, rx::Flag>
// CHECK-NEXT: rx::PackAcc<rx::BF16> [[A2:v[0-9]+]] = rx::reduce<rx::BF16, rx::Avg>([[A1]], [[Y2]]);
// CHECK-NEXT: rx::Pack [[Z:v[0-9]+]] = rx::finish<rx::BF16, rx::Avg, 3>([[A2]]);
// CHECK-NEXT: rx::store<rx::BF16>([[Z]],
// CHECK-NEXT: }
// CHECK-NEXT: rx::release([[C]]);
// CHECK: rx::postCredit<1, 4>
// CHECK: rx::close<128>([[C]]);

// Nothing that a run-time compiler does not know, in any kernel or in front of it.
// DEFINE: %{schedule} = all_gather_direct
// DEFINE: %{element} = f32
// DEFINE: %{kind} = host
// DEFINE: %{print} = %hip="world=4 element=%{element} kind=%{kind}" %schedules/%{schedule}.mlir | FileCheck %s --check-prefix=ANY %{forbidden} --implicit-check-not=unrealized
// ANY: #line 1 "kernel.hip.cpp"
// ANY: extern "C" RX_KERNEL({{[0-9]+}}) void rcclx_
// DEFINE: %{names} = rcclx-translate --rcclx-to-hip --lower="world=4 element=%{element} kind=%{kind}" %schedules/%{schedule}.mlir | FileCheck %s --check-prefix=KERNEL %{forbidden} --implicit-check-not=float --implicit-check-not=double --implicit-check-not=NAN --implicit-check-not=goto
// KERNEL: extern "C" RX_KERNEL
// RUN: %{names}
// REDEFINE: %{schedule} = all_reduce_one_shot_pull
// REDEFINE: %{element} = f16
// RUN: %{names}
// REDEFINE: %{schedule} = all_reduce_ring
// REDEFINE: %{element} = bf16
// REDEFINE: %{kind} = gpu
// RUN: %{names}
// REDEFINE: %{schedule} = all_reduce_two_shot
// REDEFINE: %{element} = i32
// RUN: %{names}
// REDEFINE: %{schedule} = barrier
// RUN: %{names}
