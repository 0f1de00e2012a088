/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <vrseg/memory_plan.h>

#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/stacks.h"
#include "video/codec_memory.h"

#define MIB (UINT64_C(1) << 20)
#define PROGRAM_BYTES (64 * MIB)  /* with libraries, tables of the network's file and malloc's slack */
#define PROCESS_BYTES (44 * MIB)  /* of a worker process; libraries are there once */
#define LIBRARY_ADDRESSES (288 * MIB) /* mapped libraries, and what malloc reserves for two arenas */
#define QUEUE_BYTES (64 * MIB)

static const char *const part_names[] = {"program", "decoder", "frames", "network", "encoder"};
static const char *const knob_names[] = {"queue", "decoder threads", "processes", "streams", "batch"};
static const char *const knob_flags[] = {"--queue-size", "--decode-workers", "--process-count", "--streams", "--batch-size"};

int vrs_memory_queue(uint64_t frame_bytes, int asked)
{
	uint64_t fit = QUEUE_BYTES / (frame_bytes + 1);
	return (uint64_t)asked <= fit ? asked : fit ? (int)fit : 1;
}

int vrs_memory_encoder_cpus(int threads)
{
	return (2 * threads + 2) / 3; /* x264 makes one and a half for each; no encoder makes more */
}

/* Frames that one call of the network takes. */
static int group_of(const struct vrs_memory_work *work)
{
	int eyes = work->eyes < 1 ? 1 : work->eyes, batch = work->knob[VRS_KNOB_BATCH];
	return batch > eyes ? (batch + eyes - 1) / eyes : 1;
}

/* The decoder of a file, what its pictures are converted to, and those of a video that wait to be shown. */
static uint64_t file_bytes(const struct vrs_memory_file *file, int threads)
{
	uint64_t pictures = (file->converted ? 1 : 0) + (file->is_still ? 0 : 2);
	if (!file->frame_bytes)
		return 0;
	return vrs_decoder_memory(file->references, threads, file->is_still ? 1 : 0, file->frame_bytes) + pictures * file->frame_bytes + file->packet_bytes;
}

/* With the background: of a video each frame in flight may have a picture of its own, fitted to it. */
static uint64_t background_bytes(const struct vrs_memory_work *work, int decoded)
{
	uint64_t fitted = work->background.is_still ? 2 : (uint64_t)decoded + 3;
	return work->background.frame_bytes ? file_bytes(&work->background, work->knob[VRS_KNOB_DECODE]) + fitted * work->output_bytes : 0;
}

/* No more than the input has. */
static int at_most(int frames, int64_t pictures)
{
	return pictures > 0 && pictures < frames ? (int)pictures : frames;
}

static uint64_t frames_bytes(const struct vrs_memory_work *work)
{
	int queue = vrs_memory_queue(work->frame_bytes, work->knob[VRS_KNOB_QUEUE]), streams = work->knob[VRS_KNOB_STREAMS];
	int decoded = at_most(queue + group_of(work) * streams + work->latency, work->pictures), composed = at_most(queue + streams + 2, work->pictures);
	return (uint64_t)(decoded + work->extra_frames) * work->frame_bytes + (uint64_t)composed * work->output_bytes + background_bytes(work, decoded);
}

/* More than is taken later by frames and the encoder, which are not there yet while the picture of --exclude is read. */
static uint64_t exclude_bytes(const struct vrs_memory_work *work, uint64_t later)
{
	uint64_t bytes = file_bytes(&work->exclude, 1) + background_bytes(work, 0);
	return work->exclude.frame_bytes && bytes > later ? bytes - later : 0;
}

struct vrs_memory_plan vrs_memory_plan_make(const struct vrs_memory_work *work)
{
	struct vrs_memory_plan plan = {0};
	int processes = work->knob[VRS_KNOB_PROCESSES], streams = work->knob[VRS_KNOB_STREAMS], decode = work->knob[VRS_KNOB_DECODE];
	const struct vrs_encoder_work encoder = {.encoder = work->encoder, .preset = work->preset, .width = work->output_width,
		.height = work->output_height, .frame_bytes = work->output_bytes, .taken_bytes = work->encoder_bytes,
		.converter_bytes = work->converter_bytes, .pictures = work->pictures, .low_delay = work->live, .cpus = work->cpus};
	uint64_t stream = work->input_bytes * (uint64_t)work->knob[VRS_KNOB_BATCH] + work->state_bytes + 2 * MIB;
	plan.part[VRS_MEMORY_DECODER] = work->codec[0] ? vrs_decoder_memory(work->references, decode, work->pictures, work->frame_bytes) : 0;
	plan.part[VRS_MEMORY_DECODER] += work->packet_bytes + (work->converted ? work->frame_bytes : 0);
	plan.part[VRS_MEMORY_DECODER] += work->grown.frame_bytes ? vrs_decoder_memory(work->grown.references, decode, 0, work->grown.frame_bytes) : 0;
	plan.part[VRS_MEMORY_FRAMES] = frames_bytes(work);
	plan.part[VRS_MEMORY_NETWORK] = work->weight_bytes + stream * (uint64_t)streams;
	plan.part[VRS_MEMORY_ENCODER] = vrs_encoder_memory(&encoder);
	plan.part[VRS_MEMORY_FRAMES] += exclude_bytes(work, plan.part[VRS_MEMORY_FRAMES] + plan.part[VRS_MEMORY_ENCODER]);
	for (int i = VRS_MEMORY_DECODER; i < VRS_MEMORY_PARTS; i++) {
		plan.address_bytes += plan.part[i];
		plan.part[i] *= (uint64_t)processes;
		plan.bytes += plan.part[i];
	}
	plan.part[VRS_MEMORY_PROGRAM] = PROGRAM_BYTES + (processes > 1 ? (uint64_t)processes * PROCESS_BYTES : 0);
	plan.bytes += plan.part[VRS_MEMORY_PROGRAM];
	uint64_t threads = (uint64_t)(decode + streams * work->net_threads + 2 * vrs_encoder_threads(work->cpus) + 4);
	plan.address_bytes += PROGRAM_BYTES + LIBRARY_ADDRESSES + threads * VRS_STACK_BYTES;
	return plan;
}

static uint64_t limit_of(int resource)
{
	struct rlimit limit;
	return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

struct vrs_memory_room vrs_memory_room(const struct vrs_machine *machine, double fraction)
{
	struct vrs_memory_room room = {.address_bytes = limit_of(RLIMIT_AS), .address_limit = "RLIMIT_AS (ulimit -v)"};
	uint64_t data = limit_of(RLIMIT_DATA), group = machine->memory_limit_bytes, all = group ? group : machine->memory_bytes;
	uint64_t now = machine->memory_available_bytes ? machine->memory_available_bytes + vrs_rss_bytes() : 0;
	room.bytes = (uint64_t)(fraction * (double)all);
	snprintf(room.reason, sizeof room.reason, "%.0f %% of the %llu MiB of %s", 100 * fraction, (unsigned long long)(all / MIB),
		 group ? "the control group" : "RAM");
	if (now && (!room.bytes || now < room.bytes)) {
		room.bytes = now;
		snprintf(room.reason, sizeof room.reason, "what is free of the %llu MiB of %s", (unsigned long long)(all / MIB),
			 group ? "the control group" : "RAM");
	}
	if (data && (!room.address_bytes || data < room.address_bytes)) {
		room.address_bytes = data;
		room.address_limit = "RLIMIT_DATA (ulimit -d)";
	}
	return room;
}

uint64_t vrs_memory_left(const struct vrs_memory_plan *plan, const struct vrs_memory_room *room)
{
	uint64_t left = UINT64_MAX;
	if (plan->bytes == 0)
		return left;
	if (room->bytes)
		left = room->bytes > plan->bytes ? room->bytes - plan->bytes : 0;
	if (room->address_bytes && room->address_bytes < plan->address_bytes)
		left = 0;
	else if (room->address_bytes && room->address_bytes - plan->address_bytes < left)
		left = room->address_bytes - plan->address_bytes;
	return left;
}

static bool fits(const struct vrs_memory_plan *plan, const struct vrs_memory_room *room)
{
	return (!room->bytes || plan->bytes <= room->bytes) && (!room->address_bytes || plan->address_bytes <= room->address_bytes);
}

static void add_text(char *text, size_t size, const char *fmt, ...) VRS_PRINTF(3, 4);
static void add_text(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;
	va_start(args, fmt);
	if (used < size && vsnprintf(text + used, size - used, fmt, args) < 0)
		text[used] = '\0';
	va_end(args);
}

/* Lower what may be lowered, in order; true when it fits then. */
static bool lower(struct vrs_memory_work *work, const struct vrs_memory_room *room, const bool fixed[VRS_KNOBS])
{
	struct vrs_memory_plan plan = vrs_memory_plan_make(work);
	for (int i = 0; i < VRS_KNOBS; i++)
		while (!fits(&plan, room) && !fixed[i] && work->knob[i] > 1) {
			work->knob[i] /= 2;
			plan = vrs_memory_plan_make(work);
		}
	return fits(&plan, room);
}

/* What would fit: the same without the user's own figures, or with the preset that takes least; "": neither. */
static void propose(const struct vrs_memory_work *work, const struct vrs_memory_room *room, char *text, size_t size)
{
	static const bool free_knobs[VRS_KNOBS] = {false};
	struct vrs_memory_work other = *work;
	if (lower(&other, room, free_knobs)) {
		add_text(text, size, "; it fits with");
		for (int i = 0; i < VRS_KNOBS; i++)
			if (other.knob[i] != work->knob[i])
				add_text(text, size, " %s %d", knob_flags[i], other.knob[i]);
		return;
	}
	snprintf(other.preset, sizeof other.preset, "ultrafast");
	if (strncmp(work->encoder, "libx26", 6) == 0 && lower(&other, room, free_knobs))
		add_text(text, size, "; it fits with --preset ultrafast");
}

static enum vrs_status refuse(const struct vrs_memory_work *work, const struct vrs_memory_room *room, struct vrs_error *err)
{
	struct vrs_memory_plan plan = vrs_memory_plan_make(work);
	char text[400] = "", other[160] = "";
	bool address = !room->bytes || plan.bytes <= room->bytes;
	for (int i = 0; i < VRS_MEMORY_PARTS; i++)
		add_text(text, sizeof text, "%s%s %llu", i ? ", " : "", part_names[i], (unsigned long long)(plan.part[i] / MIB));
	propose(work, room, other, sizeof other);
	if (address)
		return vrs_fail(err, VRS_ELIMIT, "the job needs at least %llu MiB of address space, and the limit %s is %llu MiB%s",
				(unsigned long long)(plan.address_bytes / MIB + 1), room->address_limit, (unsigned long long)(room->address_bytes / MIB), other);
	return vrs_fail(err, VRS_ELIMIT, "the job needs at least %llu MiB of memory (%s), and it may use %llu: %s%s",
			(unsigned long long)(plan.bytes / MIB + 1), text, (unsigned long long)(room->bytes / MIB), room->reason, other);
}

enum vrs_status vrs_memory_fit(struct vrs_memory_work *work, const struct vrs_memory_room *room, char *ret_text, size_t size, struct vrs_error *err)
{
	const struct vrs_memory_work before = *work;
	ret_text[0] = '\0';
	if (!lower(work, room, work->fixed))
		return refuse(work, room, err);
	for (int i = 0; i < VRS_KNOBS; i++)
		if (work->knob[i] != before.knob[i])
			add_text(ret_text, size, "%s%s %d to %d", ret_text[0] ? ", " : "", knob_names[i], before.knob[i], work->knob[i]);
	return VRS_OK;
}

void vrs_memory_print(const struct vrs_memory_plan *plan, const struct vrs_memory_room *room, FILE *out)
{
	fprintf(out, "%-10s %10s\n", "memory", "MiB");
	for (int i = 0; i < VRS_MEMORY_PARTS; i++)
		fprintf(out, "%-10s %10.1f\n", part_names[i], (double)plan->part[i] / (double)MIB);
	fprintf(out, "%-10s %10.1f of %.1f (%s)\n", "all", (double)plan->bytes / (double)MIB, (double)room->bytes / (double)MIB, room->reason);
	if (room->address_bytes)
		fprintf(out, "%-10s %10.1f of %.1f (%s)\n", "addresses", (double)plan->address_bytes / (double)MIB,
			(double)room->address_bytes / (double)MIB, room->address_limit);
}
