#!/bin/sh
# Usage: prove_kernels.sh FOLDER...
# Lowers every schedule for a GPU, by each protocol, and proves the kernels.
proved=0
for schedule in $(find "$@" -name '*.mlir' | sort); do
  for setting in "world=4" "world=3 protocol=ll" "world=5 protocol=sentinel count=1000000"; do
    rcclx-opt "$schedule" -rcclx-prepare="kind=gpu $setting" -rcclx-to-kernel \
      -rcclx-verify-kernel -o /dev/null 2>&1 && proved=$((proved + 1))
  done
done
echo "$proved kernels proved"
