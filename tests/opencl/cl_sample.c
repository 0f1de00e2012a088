/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each_call_fails.sh is tested with: a program of OpenCL that copes with every fault, and the same with one mistake.
 *   cl_sample [FAULTY]   FAULTY: leak, crash, ignore (fails, and prints what it has with exit code 0), silent (fails without a message), hang, noisy
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opencl/twice_program.h"

int main(int argc, char **argv)
{
	const char *faulty = argc > 1 ? argv[1] : "";
	int code = twice_whole(strcmp(faulty, "leak") != 0);

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
