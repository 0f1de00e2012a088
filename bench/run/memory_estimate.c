/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory a case may need, before it is tried.  Frames are planar 4:2:0 in 8 bits, 1.5 bytes a pixel:
 *   decoder     one frame per thread in flight and up to 6 reference and reordered frames
 *   pipeline    two queues of queue_size frames, and what streams hold while they work
 *   encoder     lookahead, references and threads of x264 veryfast, each frame with half-size planes and motion vectors (x 1.4)
 * Measured on two CPUs: 344 MiB at 2048x1024 and 980 MiB at 3840x1920; this gives 367 and 978.
 * The network holds about 24 floats per input sample and channel (activations of the early, large layers), for each stream.
 */
#include "bench/run/runner.h"

int64_t vrs_memory_estimate(int width, int height, int net_width, int net_height, int batch, int streams, int queue_size, int cpus, bool encodes)
{
	const double process = 88.0 * 1048576;
	int decode_threads = cpus < 1 ? 1 : cpus > 16 ? 16 : cpus;
	int group = (batch + 1) / 2 > 1 ? (batch + 1) / 2 : 1; /* frames that one call takes */
	if (streams < 1)
		streams = 1;
	double frame = 1.5 * width * height;
	double frames = decode_threads + 6 + 2.0 * queue_size + 2.0 * streams * group + (encodes ? (42 + 1.5 * (cpus < 1 ? 1 : cpus)) * 1.4 : 0);
	double network = 24.0 * 4 * 3 * net_width * net_height * (batch < 1 ? 2 : batch) * streams;
	return (int64_t)(process + frames * frame + network);
}
