/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each_call_fails.sh and under_oclgrind.sh are tested with: a program of OpenCL that copes with every fault, and the same with one mistake.
 *   cl_sample [FAULTY]   leak, crash, ignore (fails, and prints what it has with exit code 0), silent (fails without a message), hang, noisy;
 *                        of the kernel: bounds, part (the same in a part of a buffer), first (the same, before a good program in another context),
 *                        race, uninitialized, unwritten (adds to results that only a fill has written); of a call: api;
 *                        none: filled (the same, which the kernel has written)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opencl/twice_program.h"

#define KERNEL(body) "__kernel void twice(__global int *to, __global const int *from) { int i = get_global_id(0); " body " to[i] = 2 * from[i]; }"

static const struct {
	const char *name, *source;
} faulty_kernels[] = {
	{"part", KERNEL("to[i + 1] = 0; barrier(CLK_GLOBAL_MEM_FENCE);")},
	{"first", KERNEL("to[i + 1] = 0; barrier(CLK_GLOBAL_MEM_FENCE);")},
	{"bounds", KERNEL("to[i + 1] = 0; barrier(CLK_GLOBAL_MEM_FENCE);")},
	{"race", KERNEL("to[0] = i; barrier(CLK_GLOBAL_MEM_FENCE);")},
	{"unwritten", KERNEL("to[i] += from[i];")},
	{"filled", KERNEL("to[i] = from[i]; to[i] += from[i];")},
	{"uninitialized", KERNEL("int x[4]; x[from[i] & 1] = 1; if (x[from[i] & 3] == 7) to[i] = 1;")},
};

/* A buffer without bytes. */
static void call_wrongly(void)
{
	cl_int code = twice_open_device(0);

	if (code == CL_SUCCESS)
		p.to = clCreateBuffer(p.context, 0, 0, NULL, NULL);
	twice_tidy();
	memset(&p, 0, sizeof p);
}

/* A whole program with the kernel that is set, and the good one again for the next. */
static void compute_first(const char *good)
{
	(void)twice_whole(1);
	memset(&p, 0, sizeof p);
	twice_source = good;
}

int main(int argc, char **argv)
{
	const char *faulty = argc > 1 ? argv[1] : "", *good = twice_source;
	int code;

	for (size_t i = 0; i < sizeof faulty_kernels / sizeof faulty_kernels[0]; i++) {
		if (strcmp(faulty, faulty_kernels[i].name) == 0)
			twice_source = faulty_kernels[i].source;
	}
	if (strcmp(faulty, "first") == 0)
		compute_first(good);
	if (strcmp(faulty, "api") == 0)
		call_wrongly();
	twice_parts = strcmp(faulty, "part") == 0;
	twice_fills = strcmp(faulty, "unwritten") == 0 || strcmp(faulty, "filled") == 0;
	code = twice_whole(strcmp(faulty, "leak") != 0);

	if (code != 0 && strcmp(faulty, "crash") == 0)
		abort();
	while (code != 0 && strcmp(faulty, "hang") == 0)
		(void)pause();
	if (code != 0 && strcmp(faulty, "ignore") != 0) {
		if (strcmp(faulty, "silent") != 0)
			(void)fprintf(stderr, "cl_sample: error: an OpenCL call failed\n");
		if (strcmp(faulty, "noisy") == 0)
			(void)fprintf(stderr, "cl_sample: error: and once more\n");
		return 3;
	}
	(void)printf("%d\n", code);
	return 0;
}
