/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory a job takes, and whether that is there, told before it begins.
 *
 * Figures lie at or above what jobs were measured to take (docs/performance.md), so that a job that begins is not killed for lack of memory.  What is
 * lowered to make it fit changes no picture: frames that wait, threads of the decoder, worker processes, streams, inputs per call.
 */
#ifndef VRSEG_MEMORY_PLAN_H
#define VRSEG_MEMORY_PLAN_H

#include <stdio.h>

#include <vrseg/machine.h>
#include <vrseg/options.h>

enum vrs_memory_part {
	VRS_MEMORY_PROGRAM,  /* itself, its libraries, small things */
	VRS_MEMORY_DECODER,
	VRS_MEMORY_FRAMES,   /* that wait or are worked on, decoded and composed */
	VRS_MEMORY_NETWORK,  /* packed weights, and activations of each stream */
	VRS_MEMORY_ENCODER,
	VRS_MEMORY_PARTS,
};

/* In the order in which they are lowered. */
enum vrs_memory_knob { VRS_KNOB_QUEUE, VRS_KNOB_DECODE, VRS_KNOB_PROCESSES, VRS_KNOB_STREAMS, VRS_KNOB_BATCH, VRS_KNOBS };

/* A file beside the input whose pictures are decoded too. */
struct vrs_memory_file {
	uint64_t frame_bytes;            /* of a decoded picture; 0: there is no such file */
	uint64_t packet_bytes;           /* of encoded pictures, kept for another decoder */
	int references;                  /* frames that its decoder keeps */
	bool is_still;                   /* one picture alone */
	bool converted;                  /* its pictures become others of their size first */
};

struct vrs_memory_work {
	char codec[32];                  /* of the input, FFmpeg's name; "": nothing is decoded */
	int references;                  /* frames that its decoder keeps */
	uint64_t frame_bytes;            /* a decoded picture */
	uint64_t packet_bytes;           /* of encoded pictures, kept for another decoder */
	int64_t pictures;                /* that the input has; 0: not known */
	bool converted;                  /* decoded pictures become others of their size first */
	int output_width, output_height;
	uint64_t output_bytes;           /* a composed picture */
	uint64_t encoder_bytes;          /* the same as the encoder takes it; 0: not known */
	uint64_t converter_bytes;        /* of what makes that; 0: nothing is converted */
	int extra_frames;                /* of decoded size, that modes, blurred backgrounds and tone mapping take */
	struct vrs_memory_file background;
	struct vrs_memory_file exclude;  /* read and released before frames are worked on */
	struct vrs_memory_file grown;    /* larger pictures in the middle of the input, beside those before them */
	int latency;                     /* frames that wait for later ones (smoothing), or for a thread that composes */
	char encoder[VRS_NAME_MAX], preset[VRS_NAME_MAX]; /* encoder "": nothing is encoded */
	bool live;
	int eyes, cpus;                  /* cpus: that encoders make threads for; 0: those of this process */
	int net_threads;                 /* of each stream */
	uint64_t weight_bytes;           /* of the network, once */
	uint64_t input_bytes;            /* of the network, for each input of a call */
	uint64_t state_bytes;            /* of a recurrent network: what each stream keeps of all regions */
	int knob[VRS_KNOBS];             /* each at least 1 */
	bool fixed[VRS_KNOBS];           /* the user's own choice is not lowered */
};

struct vrs_memory_plan {
	uint64_t part[VRS_MEMORY_PARTS]; /* bytes, all processes together */
	uint64_t bytes;                  /* all of it */
	uint64_t address_bytes;          /* of address space, in the process that takes most */
};

/* What a job may use. */
struct vrs_memory_room {
	uint64_t bytes;                  /* 0: not known */
	uint64_t address_bytes;          /* of address space, by RLIMIT_AS or RLIMIT_DATA; 0: not limited */
	const char *address_limit;       /* "RLIMIT_AS (ulimit -v)" */
	char reason[160];                /* "90 % of the 512 MiB of the control group" */
};

/* Frames that may wait between two stages: as asked, but no more than 64 MiB of them; one always does. */
int vrs_memory_queue(uint64_t frame_bytes, int asked);
/* CPUs for which an encoder makes so many threads (vrs_memory_work.cpus); 0: its own choice. */
int vrs_memory_encoder_cpus(int threads);
struct vrs_memory_plan vrs_memory_plan_make(const struct vrs_memory_work *work);
/*
 * The share `fraction` of RAM, or of the control group's limit, as far as it is available now with what this process has already; and the limits of
 * this process.  RLIMIT_DATA counts stacks and what malloc reserves, as RLIMIT_AS does.
 */
struct vrs_memory_room vrs_memory_room(const struct vrs_machine *machine, double fraction);
/*
 * Lower knobs that are not fixed until the work fits.  VRS_OK; VRS_ELIMIT: it does not even then, and the sentence says what it needs and what would
 * fit.  ret_text (size bytes) gets what was lowered, "queue 4 to 1, decoder threads 3 to 2"; "": nothing.
 */
enum vrs_status vrs_memory_fit(struct vrs_memory_work *work, const struct vrs_memory_room *room, char *ret_text, size_t size, struct vrs_error *err)
	VRS_MUST_CHECK;
/* What is left of the room beside the plan; UINT64_MAX: no limit, or no plan was made. */
uint64_t vrs_memory_left(const struct vrs_memory_plan *plan, const struct vrs_memory_room *room);
/* A table: part, MiB; the sum; what may be used. */
void vrs_memory_print(const struct vrs_memory_plan *plan, const struct vrs_memory_room *room, FILE *out);

#endif
