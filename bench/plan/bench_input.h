/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VRS_BENCH_BENCH_INPUT_H
#define VRS_BENCH_BENCH_INPUT_H

#include <stdbool.h>

#include <vrseg/layout.h>

/* What the input is and what a job of the base configuration makes of it: sizes, eyes, batch, threads, layout as they come out. */
struct vrs_bench_input {
	int width, height, eyes, batch, threads, streams;
	int net_size[2];              /* of the network's input, where the base leaves it to auto as well */
	enum vrs_stereo layout;
	double fps;                   /* of the clip; 0: not known */
	bool synthetic;
	int cpus;                     /* that this process may use */
	bool has_opencl_gpu;          /* an OpenCL driver offers a GPU; devices that are the CPU, such as PoCL's, are none */
};

#endif
