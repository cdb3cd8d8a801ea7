// SPDX-License-Identifier: Apache-2.0 OR MIT
// CUDA keywords for clang without NVIDIA's headers: `clang-19 -x cuda -nocudainc -include clang_cuda.h`. `__syncthreads` is built in.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#include <__clang_cuda_builtin_vars.h>
