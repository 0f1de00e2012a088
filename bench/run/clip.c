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
	int fd;
	enum vrs_status status = vrs_file_open(path, &fd, err);
	if (status != VRS_OK)
		return status;
	uint8_t *block = vrs_alloc(HASH_BLOCK);
	status = !block ? VRS_ENOMEM : fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? VRS_OK : VRS_EINVAL;
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

/* Run ffmpeg so that `path` appears complete or not at all. Lists of arguments end with NULL: what to read and do, and how to code it. */
static enum vrs_status run_ffmpeg(const char *const *reading, const char *const *coding, const char *path, struct vrs_error *err)
{
	const char *argv[48] = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y"};
	struct vrs_temp_file temp;
	char words[200];
	int n = 6;
	enum vrs_status status = vrs_temp_file_create(&temp, path, err);
	if (status != VRS_OK)
		return status;
	while (*reading && n < 46)
		argv[n++] = *reading++;
	while (*coding && n < 46)
		argv[n++] = *coding++;
	argv[n] = temp.path;
	const struct vrs_proc_options options = {.argv = argv, .timeout_seconds = ffmpeg_timeout_seconds, .output_max = 65536};
	struct vrs_proc_result result;
	status = vrs_proc_run(&options, &result, err);
	if (status != VRS_OK)
		vrs_temp_file_discard(&temp);
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
		return vrs_temp_file_commit(&temp, true, err);
	vrs_temp_file_discard(&temp);
	return status;
}

/* A file of the cache that belongs to the content of the source. */
static enum vrs_status clip_path(uint64_t hash, const char *name, char path[VRS_PATH_MAX], struct vrs_error *err)
{
	char cache[VRS_PATH_MAX], folder[VRS_PATH_MAX], file[160];
	enum vrs_status status = vrs_cache_dir(cache, sizeof cache, err);
	if (status == VRS_OK)
		status = vrs_path_join(folder, sizeof folder, cache, "clips");
	if (status == VRS_OK)
		status = vrs_mkdirs(folder, err);
	snprintf(file, sizeof file, "%016llx-%s", (unsigned long long)hash, name);
	return status == VRS_OK ? vrs_path_join(path, VRS_PATH_MAX, folder, file) : status;
}

static enum vrs_status make_once(uint64_t hash, const char *name, const char *const *reading, const char *const *coding, char path[VRS_PATH_MAX],
				 struct vrs_error *err)
{
	enum vrs_status status = clip_path(hash, name, path, err);
	return status == VRS_OK && !vrs_path_exists(path) ? run_ffmpeg(reading, coding, path, err) : status;
}

/* H.264 at VRS_CLIP_BITS_PER_PIXEL. */
struct coding {
	char rate[32], group[16];
	const char *args[16];
};

static void coding_init(struct coding *c, int width, int height, double fps)
{
	snprintf(c->rate, sizeof c->rate, "%.0fk", VRS_CLIP_BITS_PER_PIXEL * width * height * fps / 1000);
	snprintf(c->group, sizeof c->group, "%.0f", fmax(1, fps));
	const char *const args[] = {"-c:v", "libx264", "-preset", "veryfast", "-b:v", c->rate, "-maxrate", c->rate, "-bufsize", c->rate, "-g", c->group,
				    "-f", "matroska", NULL};
	memcpy(c->args, args, sizeof args);
}

/* Which files a wish takes: none of the source itself, one of another size, and a longer one where the clip has too few frames. */
struct recipe {
	bool own, lengthened;
	char sized[80], longer[96];  /* names */
	int64_t frames;              /* of the longer one */
};

static struct recipe recipe_of(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish)
{
	struct recipe r = {.own = !wish->raw && wish->width == source->width && wish->height == source->height, .frames = wish->frames};
	int sized = vrs_clip_frames(wish->width, wish->height);
	int64_t single = r.own ? source->frames : sized; /* 0: not known */
	if (wish->raw)
		snprintf(r.sized, sizeof r.sized, "%dx%d-%d.y4m", wish->width, wish->height, sized);
	else
		snprintf(r.sized, sizeof r.sized, "%dx%d-x264-%.2fbpp-%d.mkv", wish->width, wish->height, VRS_CLIP_BITS_PER_PIXEL, sized);
	/* Only whole copies: cut between pictures that refer to each other, the end would lack some, and a live job that begins anew would miss them. */
	if (single > 0)
		r.frames = (wish->frames + single - 1) / single * single;
	snprintf(r.longer, sizeof r.longer, "%s-x%lld.mkv", r.own ? "own" : r.sized, (long long)r.frames);
	r.lengthened = !wish->raw && wish->frames > 0 && single < wish->frames; /* raw ones begin anew at no cost */
	return r;
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

/* A source shorter than the clip is repeated. */
static enum vrs_status derive(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, const char *name, struct vrs_clip *clip,
			      struct vrs_error *err)
{
	int width = wish->width, height = wish->height, count = vrs_clip_frames(width, height);
	char scale[80], frames[16];
	struct coding coding;
	snprintf(scale, sizeof scale, "scale=%d:%d:flags=bicubic,format=yuv420p", width, height);
	snprintf(frames, sizeof frames, "%d", count);
	coding_init(&coding, width, height, source->fps > 0 ? source->fps : 30);
	const char *const reading[] = {"-stream_loop", "-1", "-i", source->path, "-an", "-sn", "-dn", "-frames:v", frames, "-vf", scale, NULL};
	static const char *const plain[] = {"-f", "yuv4mpegpipe", NULL};
	clip->derived = true;
	if (wish->raw)
		snprintf(clip->label, sizeof clip->label, "derived: %dx%d uncompressed, %d frames", width, height, count);
	else
		snprintf(clip->label, sizeof clip->label, "derived: %dx%d libx264 at %.2f bits per pixel, %d frames", width, height,
			 VRS_CLIP_BITS_PER_PIXEL, count);
	return make_once(source->hash, name, reading, wish->raw ? plain : coding.args, clip->path, err);
}

/* The same coded pictures again and again, without a gap for the decoder. */
static enum vrs_status lengthen(const struct vrs_clip_source *source, const struct recipe *recipe, struct vrs_clip *clip, struct vrs_error *err)
{
	char path[VRS_PATH_MAX], frames[24];
	size_t used = strlen(clip->label);
	snprintf(frames, sizeof frames, "%lld", (long long)recipe->frames);
	const char *const reading[] = {"-stream_loop", "-1", "-i", clip->path, "-map", "0:v:0", "-frames:v", frames, NULL};
	static const char *const copying[] = {"-c", "copy", "-f", "matroska", NULL};
	enum vrs_status status = make_once(source->hash, recipe->longer, reading, copying, path, err);
	if (status == VRS_OK)
		vrs_strcpy(clip->path, sizeof clip->path, path);
	snprintf(clip->label + used, sizeof clip->label - used, ", repeated to %s", frames);
	return status;
}

enum vrs_status vrs_clip_provide(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, struct vrs_clip *ret_clip,
				 struct vrs_error *err)
{
	struct vrs_clip clip = {.width = wish->width, .height = wish->height, .label = "as given"};
	const struct recipe recipe = recipe_of(source, wish);
	int width = wish->width, height = wish->height;
	enum vrs_status status = VRS_OK;
	if (!recipe.own && (width < 16 || height < 16 || width > 16384 || height > 16384 || width % 2 || height % 2))
		return vrs_fail(err, VRS_ECONFIG, "a clip cannot have %dx%d: both sides must be even, from 16 to 16384", width, height);
	if (source->drawn) {
		status = draw(source, wish, &clip, err);
	} else if (recipe.own) {
		vrs_strcpy(clip.path, sizeof clip.path, source->path);
		if (source->synthetic)
			snprintf(clip.label, sizeof clip.label, "synthetic: built-in people, libx264 at %.2f bits per pixel", VRS_CLIP_BITS_PER_PIXEL);
	} else {
		status = derive(source, wish, recipe.sized, &clip, err);
	}
	if (status == VRS_OK && !source->drawn && recipe.lengthened)
		status = lengthen(source, &recipe, &clip, err);
	if (status == VRS_OK)
		*ret_clip = clip;
	return status;
}

static bool is_there(const struct vrs_clip_source *source, const char *name)
{
	char path[VRS_PATH_MAX];
	return clip_path(source->hash, name, path, NULL) == VRS_OK && vrs_path_exists(path);
}

uint64_t vrs_clip_disk_estimate(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish)
{
	const struct recipe recipe = recipe_of(source, wish);
	double frame_bytes = (wish->raw ? 12 : VRS_CLIP_BITS_PER_PIXEL) / 8 * wish->width * wish->height, frames = 0;
	if (source->drawn)
		return 0;
	if (!recipe.own && !is_there(source, recipe.sized))
		frames += vrs_clip_frames(wish->width, wish->height);
	if (recipe.lengthened && !is_there(source, recipe.longer))
		frames += (double)recipe.frames;
	return (uint64_t)(frame_bytes * frames);
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
static enum vrs_status draw_once(const char *synth, const char *filter, const char *const *coding, const char *path, struct vrs_error *err)
{
	char drawn[VRS_PATH_MAX];
	const char *const reading[] = {"-i", drawn, "-vf", filter, NULL};
	if (vrs_path_exists(path))
		return VRS_OK;
	if (snprintf(drawn, sizeof drawn, "%s-%d.drawn.mkv", path, (int)getpid()) >= (int)sizeof drawn)
		return vrs_fail(err, VRS_ELIMIT, "the name of the cache folder is too long");
	enum vrs_status status = write_synthetic(synth, drawn, err);
	if (status == VRS_OK)
		status = run_ffmpeg(reading, coding, path, err);
	(void)unlink(drawn); /* it may not be there */
	return status;
}

enum vrs_status vrs_clip_synthetic(struct vrs_clip_source *ret_source, struct vrs_error *err)
{
	struct vrs_clip_source source = {.width = 1920, .height = 960, .fps = 30, .synthetic = true};
	static const char name[] = "people-1920x960-60.mkv", truth_name[] = "people-1920x960-60_alpha.mkv";
	static const char *const coverage[] = {"-c:v", "ffv1", "-f", "matroska", NULL};
	char truth[VRS_PATH_MAX];
	struct coding coding;
	source.hash = vrs_hash_str(VRS_HASH_INIT, name);
	coding_init(&coding, source.width, source.height, source.fps);
	enum vrs_status status = clip_path(source.hash, name, source.path, err);
	if (status == VRS_OK)
		status = clip_path(source.hash, truth_name, truth, err);
	if (status == VRS_OK && !vrs_path_exists(source.path))
		vrs_log(VRS_LOG_INFO, "drawing the synthetic clip (once)");
	if (status == VRS_OK)
		status = draw_once("synth:1920x960,sbs,frames=60,alpha", "format=gray", coverage, truth, err);
	if (status == VRS_OK) /* noise on top, as sensors have it: clean pictures cost an encoder next to nothing */
		status = draw_once("synth:1920x960,sbs,frames=60", "noise=alls=4:allf=t:all_seed=1,format=yuv420p", coding.args, source.path, err);
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
	uint64_t hash;
	struct stat info;
	if (source->drawn) {
		vrs_strcpy(path, VRS_PATH_MAX, "synth:");
		*ret_truth = (struct vrs_truth_file){.path = path, .width = source->width, .height = source->height, .frames = frames};
		return VRS_OK;
	}
	if (!truth_beside(source->path, coded, sizeof coded))
		return VRS_ENOTFOUND;
	int width = source->width > TRUTH_WIDTH_MAX ? TRUTH_WIDTH_MAX : source->width;
	int height = (int)lround((double)source->height * width / source->width);
	snprintf(name, sizeof name, "truth-%dx%d-%d.gray", width, height, frames);
	snprintf(scale, sizeof scale, "scale=%d:%d:flags=area,format=gray", width, height);
	snprintf(count, sizeof count, "%d", frames);
	const char *const reading[] = {"-i", coded, "-frames:v", count, "-vf", scale, NULL};
	static const char *const coding[] = {"-f", "rawvideo", NULL};
	enum vrs_status status = vrs_clip_hash(coded, &hash, err);
	if (status == VRS_OK)
		status = make_once(hash, name, reading, coding, path, err);
	if (status == VRS_OK && stat(path, &info) != 0)
		status = vrs_fail(err, VRS_EIO, "cannot read %s: %m", path);
	if (status == VRS_OK)
		*ret_truth = (struct vrs_truth_file){
			.path = path, .width = width, .height = height, .frames = (int64_t)info.st_size / ((int64_t)width * height)};
	return status;
}
