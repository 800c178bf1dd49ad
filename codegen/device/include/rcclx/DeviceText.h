//===- DeviceText.h - the device header as text -----------------*- C++ -*-===//
//
// Part of rcclx. What a generated kernel needs before it, for compilers that
// have no file system. It names its parts with #line, so a source that follows
// it should start with a #line of its own.
//
//===----------------------------------------------------------------------===//
#ifndef RCCLX_DEVICETEXT_H
#define RCCLX_DEVICETEXT_H

#include <cstddef>

extern "C" {
/// rcclx_params.h, rcclx_types.h, the targets' parts and rcclx_device.h, joined
/// in this order. Ends with a newline and a NUL.
extern const char rcclx_device_text[];
/// Its length without the NUL.
extern const size_t rcclx_device_text_bytes;
}

#endif // RCCLX_DEVICETEXT_H
