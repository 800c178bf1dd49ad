//===- DiesAtEnd.cpp - A crash while a process exits ----------------------===//
//
// Part of rcclx. Linked into a compiler library for tests: the process that
// has loaded it dies where other processes end.
//
//===----------------------------------------------------------------------===//
#include <csignal>

__attribute__((destructor)) static void die() { raise(SIGKILL); }
