/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/clip.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/pipeline.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/str_parse.h"

enum { HASH_BLOCK = 1 << 20, HASH_WHOLE_BLOCKS = 64, HASH_PART_BLOCKS = 16, FRAMES_MAX = 60, FRAMES_MIN = 24, TRUTH_WIDTH_MAX = 2048 };
static const double ffmpeg_timeout_seconds = 1800;

static enum vrs_status hash_range(int fd, int64_t from, int64_t bytes, uint8_t *block, uint64_t *hash)
{
	while (bytes > 0) {
		ssize_t n = pread(fd, block, bytes < HASH_BLOCK ? (size_t)bytes : HASH_BLOCK, (off_t)from);
		if (n < 0)
			return VRS_EIO;
		if (n == 0)
			break;
		*hash = vrs_hash(*hash, block, (size_t)n);
		from += n;
		bytes -= n;
	}
	return VRS_OK;
}

enum vrs_status vrs_clip_hash(const char *path, uint64_t *ret_hash, struct vrs_error *err)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return vrs_fail(err, VRS_ENOTFOUND, "cannot open %s: %m", path);
	uint8_t *block = vrs_alloc(HASH_BLOCK);
	enum vrs_status status = !block ? VRS_ENOMEM : fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? VRS_OK : VRS_EINVAL;
	uint64_t hash = VRS_HASH_INIT;
	if (status == VRS_OK) {
		int64_t size = info.st_size, part = (int64_t)HASH_PART_BLOCKS * HASH_BLOCK;
		hash = vrs_hash(hash, &size, sizeof size);
		if (size <= (int64_t)HASH_WHOLE_BLOCKS * HASH_BLOCK)
			status = hash_range(fd, 0, size, block, &hash);
		else
			for (int i = 0; i < 3 && status == VRS_OK; i++)
				status = hash_range(fd, i == 0 ? 0 : i == 1 ? (size - part) / 2 : size - part, part, block, &hash);
	}
	vrs_free(block);
	close(fd);
	if (status == VRS_EINVAL) /* unreadable, as vrseg says of a folder without films */
		return vrs_fail(err, VRS_EIO, "%s is not a regular file: a benchmark plays its input many times", path);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot read %s: %s", path, vrs_status_str(status));
	*ret_hash = hash;
	return VRS_OK;
}

int vrs_clip_frames(int width, int height)
{
	double frames = FRAMES_MAX * (3840.0 * 1920.0) / ((double)width * height);
	return frames > FRAMES_MAX ? FRAMES_MAX : frames < FRAMES_MIN ? FRAMES_MIN : (int)frames;
}

/* Run ffmpeg so that `path` appears complete or not at all. args ends before the output name, which is appended. */
static enum vrs_status run_ffmpeg(const char *const *args, int count, const char *path, struct vrs_error *err)
{
	const char *argv[48] = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y"};
	char temp[VRS_PATH_MAX], words[200];
	int n = 6;
	enum vrs_status status = vrs_file_temp_name(path, temp, sizeof temp, err);
	if (status != VRS_OK)
		return status;
	for (int i = 0; i < count && n < 46; i++)
		argv[n++] = args[i];
	argv[n] = temp;
	const struct vrs_proc_options options = {.argv = argv, .timeout_seconds = ffmpeg_timeout_seconds, .output_max = 65536};
	struct vrs_proc_result result;
	status = vrs_proc_run(&options, &result, err);
	if (status == VRS_ENOTFOUND)
		return vrs_fail(err, VRS_ENOTFOUND, "making clips of other sizes needs ffmpeg, which is not installed: sudo apt-get install ffmpeg");
	if (status != VRS_OK)
		return status;
	if (result.stopped)
		status = vrs_fail(err, VRS_ESTOPPED, "stopped while making a clip");
	else if (result.timed_out)
		status = vrs_fail(err, VRS_ETIMEOUT, "ffmpeg did not finish %s within %.0f s", path, ffmpeg_timeout_seconds);
	else if (result.exit_code != 0) {
		vrs_buf_last_line(&result.err, words, sizeof words);
		status = vrs_fail(err, VRS_EIO, "ffmpeg could not make %s: %s", path, words[0] ? words : "no message");
	}
	vrs_proc_result_fini(&result);
	if (status == VRS_OK)
		return vrs_file_commit(temp, path, err);
	vrs_file_discard(temp);
	return status;
}

static enum vrs_status clip_folder(char *path, size_t size, struct vrs_error *err)
{
	char cache[VRS_PATH_MAX];
	enum vrs_status status = vrs_cache_dir(cache, sizeof cache, err);
	if (status == VRS_OK)
		status = vrs_path_join(path, size, cache, "clips");
	return status == VRS_OK ? vrs_mkdirs(path, err) : status;
}

static enum vrs_status clip_path(const struct vrs_clip_source *source, const char *name, char *path, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX], file[160];
	enum vrs_status status = clip_folder(folder, sizeof folder, err);
	snprintf(file, sizeof file, "%016llx-%s", (unsigned long long)source->hash, name);
	return status == VRS_OK ? vrs_path_join(path, VRS_PATH_MAX, folder, file) : status;
}

static void derived_name(int width, int height, bool raw, char *name, size_t size)
{
	int frames = vrs_clip_frames(width, height);
	if (raw)
		snprintf(name, size, "%dx%d-%d.y4m", width, height, frames);
	else
		snprintf(name, size, "%dx%d-x264-%.2fbpp-%d.mkv", width, height, VRS_CLIP_BITS_PER_PIXEL, frames);
}

static enum vrs_status make_derived(const struct vrs_clip_source *source, const char *path, int width, int height, bool raw, struct vrs_error *err)
{
	char scale[80], frames[16], rate[32], group[16];
	double fps = source->fps > 0 ? source->fps : 30;
	snprintf(scale, sizeof scale, "scale=%d:%d:flags=bicubic,format=yuv420p", width, height);
	snprintf(frames, sizeof frames, "%d", vrs_clip_frames(width, height));
	snprintf(rate, sizeof rate, "%.0fk", VRS_CLIP_BITS_PER_PIXEL * width * height * fps / 1000);
	snprintf(group, sizeof group, "%.0f", fmax(1, fps));
	/* A source shorter than the clip is repeated. */
	const char *const coded[] = {"-stream_loop", "-1", "-i", source->path, "-an", "-sn", "-dn", "-frames:v", frames, "-vf", scale, "-c:v", "libx264",
				     "-preset", "veryfast", "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", group, "-f", "matroska"};
	const char *const plain[] = {"-stream_loop", "-1", "-i", source->path, "-an", "-sn", "-dn", "-frames:v", frames, "-vf", scale, "-f",
				     "yuv4mpegpipe"};
	return raw ? run_ffmpeg(plain, sizeof plain / sizeof *plain, path, err) : run_ffmpeg(coded, sizeof coded / sizeof *coded, path, err);
}

/* "synth:..." with another size. VRS_ELIMIT. */
static enum vrs_status synth_name(const char *name, int width, int height, char ret_name[VRS_PATH_MAX])
{
	struct vrs_buf text;
	int size[2];
	vrs_buf_init(&text, VRS_PATH_MAX - 1);
	enum vrs_status status = vrs_buf_printf(&text, "synth:%dx%d", width, height);
	for (const char *word = name + strlen("synth:"); *word && status == VRS_OK;) {
		char part[64];
		size_t n = strcspn(word, ",");
		snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), word);
		if (n > 0 && !vrs_parse_size2(part, 1, 65536, size))
			status = vrs_buf_printf(&text, ",%.*s", (int)n, word);
		word += n + (word[n] == ',');
	}
	if (status == VRS_OK)
		vrs_strcpy(ret_name, VRS_PATH_MAX, vrs_buf_str(&text));
	vrs_buf_fini(&text);
	return status;
}

static enum vrs_status draw(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, struct vrs_clip *clip, struct vrs_error *err)
{
	bool own = wish->width == source->width && wish->height == source->height;
	enum vrs_status status = own ? VRS_OK : synth_name(source->path, wish->width, wish->height, clip->path);
	if (own)
		vrs_strcpy(clip->path, sizeof clip->path, source->path);
	snprintf(clip->label, sizeof clip->label, "synthetic: %dx%d, built-in people, drawn while it is played", wish->width, wish->height);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "the name of the input is too long");
}

static enum vrs_status derive(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, struct vrs_clip *clip, struct vrs_error *err)
{
	int width = wish->width, height = wish->height, frames = vrs_clip_frames(width, height);
	char name[96];
	derived_name(width, height, wish->raw, name, sizeof name);
	enum vrs_status status = clip_path(source, name, clip->path, err);
	if (status == VRS_OK && !vrs_path_exists(clip->path))
		status = make_derived(source, clip->path, width, height, wish->raw, err);
	clip->derived = true;
	if (wish->raw)
		snprintf(clip->label, sizeof clip->label, "derived: %dx%d uncompressed, %d frames", width, height, frames);
	else
		snprintf(clip->label, sizeof clip->label, "derived: %dx%d libx264 at %.2f bits per pixel, %d frames", width, height,
			 VRS_CLIP_BITS_PER_PIXEL, frames);
	return status;
}

/* Frames of the clip that is repeated; 0: not known. */
static int64_t single_frames(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, bool derived)
{
	return derived ? vrs_clip_frames(wish->width, wish->height) : source->frames;
}

/* Only whole copies: cut between pictures that refer to each other, the end would lack some, and a live job that begins anew would miss them. */
static int64_t whole_copies(int64_t frames, int64_t wanted)
{
	return frames > 0 ? (wanted + frames - 1) / frames * frames : wanted;
}

static void lengthened_name(const struct vrs_clip_wish *wish, bool derived, int64_t frames, char *name, size_t size)
{
	if (derived)
		derived_name(wish->width, wish->height, false, name, size);
	else
		snprintf(name, size, "own");
	size_t used = strlen(name);
	snprintf(name + used, size - used, "-x%lld.mkv", (long long)frames);
}

/* The same coded pictures again and again, without a gap for the decoder. */
static enum vrs_status lengthen(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, struct vrs_clip *clip, struct vrs_error *err)
{
	char name[96], path[VRS_PATH_MAX], frames[24];
	int64_t whole = whole_copies(single_frames(source, wish, clip->derived), wish->frames);
	lengthened_name(wish, clip->derived, whole, name, sizeof name);
	snprintf(frames, sizeof frames, "%lld", (long long)whole);
	enum vrs_status status = clip_path(source, name, path, err);
	const char *const args[] = {"-stream_loop", "-1", "-i", clip->path, "-map", "0:v:0", "-frames:v", frames, "-c", "copy", "-f", "matroska"};
	if (status == VRS_OK && !vrs_path_exists(path))
		status = run_ffmpeg(args, sizeof args / sizeof *args, path, err);
	if (status != VRS_OK)
		return status;
	vrs_strcpy(clip->path, sizeof clip->path, path);
	size_t used = strlen(clip->label);
	snprintf(clip->label + used, sizeof clip->label - used, ", repeated to %lld", (long long)whole);
	return VRS_OK;
}

/* Has the clip too few frames? Raw ones begin anew at no cost. */
static bool is_short(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, bool own)
{
	int64_t frames = single_frames(source, wish, !own);
	return !wish->raw && wish->frames > 0 && frames < wish->frames;
}

enum vrs_status vrs_clip_provide(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, struct vrs_clip *ret_clip,
				 struct vrs_error *err)
{
	struct vrs_clip clip = {.width = wish->width, .height = wish->height};
	int width = wish->width, height = wish->height;
	bool own = !wish->raw && width == source->width && height == source->height;
	enum vrs_status status = VRS_OK;
	if (!own && (width < 16 || height < 16 || width > 16384 || height > 16384 || width % 2 || height % 2))
		return vrs_fail(err, VRS_ECONFIG, "a clip cannot have %dx%d: both sides must be even, from 16 to 16384", width, height);
	if (source->drawn) {
		status = draw(source, wish, &clip, err);
	} else if (own) {
		vrs_strcpy(clip.path, sizeof clip.path, source->path);
		if (source->synthetic)
			snprintf(clip.label, sizeof clip.label, "synthetic: built-in people, libx264 at %.2f bits per pixel", VRS_CLIP_BITS_PER_PIXEL);
		else
			snprintf(clip.label, sizeof clip.label, "as given");
	} else {
		status = derive(source, wish, &clip, err);
	}
	if (status == VRS_OK && !source->drawn && is_short(source, wish, own))
		status = lengthen(source, wish, &clip, err);
	if (status == VRS_OK)
		*ret_clip = clip;
	return status;
}

uint64_t vrs_clip_disk_estimate(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish)
{
	char name[96], path[VRS_PATH_MAX];
	bool own = !wish->raw && wish->width == source->width && wish->height == source->height;
	double bits = wish->raw ? 12 : VRS_CLIP_BITS_PER_PIXEL, pixels = (double)wish->width * wish->height, bytes = 0;
	if (source->drawn)
		return 0;
	if (!own) {
		derived_name(wish->width, wish->height, wish->raw, name, sizeof name);
		bool there = clip_path(source, name, path, NULL) == VRS_OK && vrs_path_exists(path);
		bytes = there ? 0 : bits / 8 * pixels * vrs_clip_frames(wish->width, wish->height);
	}
	int64_t whole = whole_copies(single_frames(source, wish, !own), wish->frames);
	lengthened_name(wish, !own, whole, name, sizeof name);
	if (is_short(source, wish, own) && !(clip_path(source, name, path, NULL) == VRS_OK && vrs_path_exists(path)))
		bytes += bits / 8 * pixels * (double)whole;
	return (uint64_t)bytes;
}

/* Mode cutout leaves the colours of the film alone, and without a network nothing is spent on its alpha. */
static enum vrs_status settle(struct vrs_config *config, const char *path, struct vrs_settings *ret_settings, struct vrs_error *err)
{
	static const char *const values[][2] = {
		{"engine.backend", "null"}, {"output.mode", "cutout"}, {"output.encoder", "ffv1"}, {"output.overwrite", "true"},
	};
	enum vrs_status status = VRS_OK;
	for (size_t i = 0; i < sizeof values / sizeof *values && status == VRS_OK; i++)
		status = vrs_config_set(config, values[i][0], values[i][1], VRS_SOURCE_FLAG, values[i][0], err);
	*ret_settings = *vrs_config_settings(config);
	vrs_strcpy(ret_settings->output.file, sizeof ret_settings->output.file, path);
	return status;
}

/* Write what "synth:..." shows to path (.mkv, lossless); with the word "alpha" in the name the exact coverage as luma. */
static enum vrs_status write_synthetic(const char *synth, const char *path, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	struct vrs_settings settings;
	struct vrs_job *job = NULL;
	enum vrs_status status = vrs_config_create(&config);
	if (status != VRS_OK)
		return vrs_fail(err, status, "there is not enough memory to draw %s", synth);
	status = settle(config, path, &settings, err);
	if (status == VRS_OK)
		status = vrs_job_create(&job, synth, &settings, 1, NULL, err);
	if (status == VRS_OK)
		status = vrs_job_run(job, err);
	vrs_job_destroy(job);
	vrs_config_destroy(config);
	return status;
}

/* Draw the people once without loss, and give them away as ffmpeg sees fit. */
static enum vrs_status draw_once(const char *synth, const char *const *args, int count, const char *path, struct vrs_error *err)
{
	char drawn[VRS_PATH_MAX];
	const char *argv[32] = {"-i", drawn};
	int n = 2;
	if (vrs_path_exists(path))
		return VRS_OK;
	if (snprintf(drawn, sizeof drawn, "%s-%d.drawn.mkv", path, (int)getpid()) >= (int)sizeof drawn)
		return vrs_fail(err, VRS_ELIMIT, "the name of the cache folder is too long");
	for (int i = 0; i < count && n < 32; i++)
		argv[n++] = args[i];
	enum vrs_status status = write_synthetic(synth, drawn, err);
	if (status == VRS_OK)
		status = run_ffmpeg(argv, n, path, err);
	(void)unlink(drawn); /* it may not be there */
	return status;
}

enum vrs_status vrs_clip_synthetic(struct vrs_clip_source *ret_source, struct vrs_error *err)
{
	struct vrs_clip_source source = {.width = 1920, .height = 960, .fps = 30, .synthetic = true};
	char name[] = "people-1920x960-60.mkv", truth_name[] = "people-1920x960-60_alpha.mkv", truth[VRS_PATH_MAX], rate[32];
	source.hash = vrs_hash_str(VRS_HASH_INIT, name);
	enum vrs_status status = clip_path(&source, name, source.path, err);
	if (status == VRS_OK)
		status = clip_path(&source, truth_name, truth, err);
	/* Noise on top, as sensors have it: clean pictures cost an encoder next to nothing. */
	snprintf(rate, sizeof rate, "%.0fk", VRS_CLIP_BITS_PER_PIXEL * source.width * source.height * source.fps / 1000);
	const char *const picture[] = {"-vf", "noise=alls=4:allf=t:all_seed=1,format=yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-b:v", rate,
				       "-maxrate", rate, "-bufsize", rate, "-g", "30", "-f", "matroska"};
	const char *const coverage[] = {"-vf", "format=gray", "-c:v", "ffv1", "-f", "matroska"};
	if (status == VRS_OK && !vrs_path_exists(source.path))
		vrs_log(VRS_LOG_INFO, "drawing the synthetic clip (once)");
	if (status == VRS_OK)
		status = draw_once("synth:1920x960,sbs,frames=60,alpha", coverage, sizeof coverage / sizeof *coverage, truth, err);
	if (status == VRS_OK)
		status = draw_once("synth:1920x960,sbs,frames=60", picture, sizeof picture / sizeof *picture, source.path, err);
	if (status == VRS_OK)
		*ret_source = source;
	return status;
}

static bool truth_beside(const char *path, char *truth, size_t size)
{
	const char *base = vrs_path_base(path), *dot = strrchr(base, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);
	int n = snprintf(truth, size, "%.*s_alpha.mkv", (int)stem, path);
	return n > 0 && (size_t)n < size && vrs_path_exists(truth);
}

enum vrs_status vrs_truth_file_provide(const struct vrs_clip_source *source, int frames, char path[VRS_PATH_MAX], struct vrs_truth_file *ret_truth,
				  struct vrs_error *err)
{
	char coded[VRS_PATH_MAX], name[96], scale[80], count[16];
	struct vrs_clip_source truth_source = {.width = source->width, .height = source->height};
	if (source->drawn) {
		vrs_strcpy(path, VRS_PATH_MAX, "synth:");
		*ret_truth = (struct vrs_truth_file){path, source->width, source->height, frames};
		return VRS_OK;
	}
	if (!truth_beside(source->path, coded, sizeof coded))
		return VRS_ENOTFOUND;
	int width = source->width > TRUTH_WIDTH_MAX ? TRUTH_WIDTH_MAX : source->width;
	int height = (int)lround((double)source->height * width / source->width);
	enum vrs_status status = vrs_clip_hash(coded, &truth_source.hash, err);
	snprintf(name, sizeof name, "truth-%dx%d-%d.gray", width, height, frames);
	snprintf(scale, sizeof scale, "scale=%d:%d:flags=area,format=gray", width, height);
	snprintf(count, sizeof count, "%d", frames);
	if (status == VRS_OK)
		status = clip_path(&truth_source, name, path, err);
	const char *const args[] = {"-i", coded, "-frames:v", count, "-vf", scale, "-f", "rawvideo"};
	if (status == VRS_OK && !vrs_path_exists(path))
		status = run_ffmpeg(args, sizeof args / sizeof *args, path, err);
	struct stat info;
	if (status == VRS_OK && stat(path, &info) != 0)
		status = vrs_fail(err, VRS_EIO, "cannot read %s: %m", path);
	if (status == VRS_OK)
		*ret_truth = (struct vrs_truth_file){path, width, height, (int64_t)info.st_size / ((int64_t)width * height)};
	return status;
}
