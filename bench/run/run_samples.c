/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/run_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vrseg/machine.h>
#include <vrseg/noise.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "base/ticker.h"
#include "bench/record/record_fields.h"

enum { CACHE_LINE = 64 }; /* bytes, of every x86-64 */
enum { DOUBLE_AFTER = 2048 };
static const uint64_t first_interval_ns = 50000000, sensor_interval_ns = 250000000; /* 20 lines a second, sensors in four of them */
static const uint64_t least_interval_ns = 1000000;                                   /* before the last line */
enum { COST_FACTOR = 500, SENSOR_COST_FACTOR = 1000 };

static const struct vrs_field columns[] = {
	VRS_FIELD_ROW(vrs_sample, DOUBLE, seconds, 0, 0, true),
	VRS_FIELD_ROW(vrs_sample, INT64, rss_bytes, 0, 0, false),
	VRS_FIELD_ROW(vrs_sample, DOUBLE, clock_mhz, 0, 0, false),
	VRS_FIELD_ROW(vrs_sample, DOUBLE, temperature_c, 0, 0, false),
	VRS_FIELD_ROW(vrs_sample, DOUBLE, power_watts, 0, 0, false),
	VRS_FIELD_ROW(vrs_sample, DOUBLE, device_percent, 0, 0, false),
	VRS_FIELD_ROW(vrs_sample, INT64, device_bytes, 0, 0, false),
	VRS_FIELD_ROW(vrs_sample, DOUBLE, device_watts, 0, 0, false),
	{0},
};

/* Sums over the measured part. */
struct sampled {
	double watts, device_percent, device_watts;
	int watts_count, percent_count, device_watts_count;
	int64_t device_peak;
};

struct vrs_sampler {
	struct vrs_ticker ticker;
	atomic_bool measuring;
	FILE *out;
	char path[VRS_PATH_MAX];
	int statm;                 /* /proc/self/statm */
	uint64_t start_ns, end_ns, cost_ns;
	struct vrs_machine *machine;
	double joules;             /* of the packages at the last reading; NaN */
	uint64_t joules_ns;
	struct sampled sum;
};

bool vrs_samples_name(const char *frames_file, char *buf, size_t size)
{
	size_t n = strlen(frames_file);
	if (n < 5 || strcmp(frames_file + n - 4, ".bin") != 0 || n >= size)
		return false;
	memcpy(buf, frames_file, n - 3);
	memcpy(buf + n - 3, "tsv", 4);
	return true;
}

static int64_t resident_bytes(int statm)
{
	char text[128];
	long long all, resident;
	ssize_t n = pread(statm, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = 0;
	return sscanf(text, "%lld %lld", &all, &resident) == 2 ? (int64_t)resident * sysconf(_SC_PAGESIZE) : -1;
}

/* "package-0 energy" is a whole socket; "package-0 dram energy" is a part that would count twice. */
static bool is_package(const char *name)
{
	const char *blank = strchr(name, ' ');
	return strncmp(name, "package-", 8) == 0 && blank && strcmp(blank, " energy") == 0;
}

static void take_sensor(const struct vrs_sensor *s, struct vrs_sample *to, double *joules)
{
	switch (s->kind) {
	case VRS_SENSOR_TEMPERATURE:
		if (isnan(to->temperature_c))
			to->temperature_c = s->value;
		break;
	case VRS_SENSOR_ENERGY:
		if (is_package(s->name))
			*joules = isnan(*joules) ? s->value : *joules + s->value;
		break;
	case VRS_SENSOR_UTILISATION:
		to->device_percent = fmax(to->device_percent, s->value); /* fmax leaves a NaN out */
		break;
	case VRS_SENSOR_MEMORY:
		to->device_bytes = (to->device_bytes < 0 ? 0 : to->device_bytes) + (int64_t)(s->value * 1048576);
		break;
	case VRS_SENSOR_POWER:
		if (strncmp(s->name, "nvidia", 6) == 0)
			to->device_watts = isnan(to->device_watts) ? s->value : to->device_watts + s->value;
		break;
	default:
		break;
	}
}

static void read_sensors(struct vrs_sampler *s, struct vrs_sample *to)
{
	double joules = NAN;
	to->clock_mhz = vrs_noise_clock_mhz();
	vrs_machine_sample_sensors(s->machine);
	for (int i = 0; i < s->machine->sensor_count; i++)
		take_sensor(&s->machine->sensors[i], to, &joules);
	uint64_t now = vrs_now_ns();
	if (isfinite(joules) && isfinite(s->joules) && now > s->joules_ns)
		to->power_watts = fmax(0, (joules - s->joules) / (1e-9 * (double)(now - s->joules_ns)));
	s->joules = joules;
	s->joules_ns = now;
}

static void add_to_sums(struct sampled *sum, const struct vrs_sample *one)
{
	if (isfinite(one->power_watts)) {
		sum->watts += one->power_watts;
		sum->watts_count++;
	}
	if (isfinite(one->device_percent)) {
		sum->device_percent += one->device_percent;
		sum->percent_count++;
	}
	if (isfinite(one->device_watts)) {
		sum->device_watts += one->device_watts;
		sum->device_watts_count++;
	}
	sum->device_peak = one->device_bytes > sum->device_peak ? one->device_bytes : sum->device_peak;
}

static struct vrs_sample empty_sample(void)
{
	struct vrs_sample one;
	vrs_fields_clear(columns, &one);
	return one;
}

/* What is absent is an empty column. Errors of the disk are seen at the end: a timeline is no reason to end a run. */
static void put_sample(FILE *out, const struct vrs_sample *one)
{
	for (const struct vrs_field *f = columns; f->key; f++) {
		const void *p = (const char *)one + f->offset;
		bool real = f->kind == VRS_FIELD_DOUBLE;
		double value = real ? *(const double *)p : (double)*(const int64_t *)p;
		if (f > columns)
			fputc('\t', out);
		if (isfinite(value) && (real || value >= 0))
			fprintf(out, f == columns ? "%.4f" : real ? "%.6g" : "%.0f", value);
	}
	fputc('\n', out);
}

/* Time and memory of this moment; nothing is written. */
static struct vrs_sample take_sample(const struct vrs_sampler *s, uint64_t now)
{
	struct vrs_sample one = empty_sample();
	one.seconds = 1e-9 * (double)(now - s->start_ns);
	one.rss_bytes = resident_bytes(s->statm);
	return one;
}

/* The first line or the last: samples that cost much come seldom, and the run's beginning and end must not be missed. */
static void put_border(struct vrs_sampler *s, uint64_t now)
{
	struct vrs_sample one = take_sample(s, now);
	put_sample(s->out, &one);
}

static void *sample(void *cookie)
{
	struct vrs_sampler *s = cookie;
	struct vrs_sample first = empty_sample();
	uint64_t base = first_interval_ns, next_sensors = 0, now;
	read_sensors(s, &first); /* loads what drivers need: no part of the cost of a sample */
	uint64_t cpu_start = vrs_thread_cpu_ns();
	for (int64_t count = 0;; count++) {
		now = vrs_now_ns();
		uint64_t cpu = vrs_thread_cpu_ns();
		struct vrs_sample one = take_sample(s, now);
		bool sensors = now >= next_sensors;
		if (sensors)
			read_sensors(s, &one);
		put_sample(s->out, &one);
		if (atomic_load_explicit(&s->measuring, memory_order_relaxed))
			add_to_sums(&s->sum, &one);
		uint64_t cost = vrs_thread_cpu_ns() - cpu, wait = cost * COST_FACTOR;
		if (sensors) {
			next_sensors = now + (cost * SENSOR_COST_FACTOR > sensor_interval_ns ? cost * SENSOR_COST_FACTOR : sensor_interval_ns);
			wait = 0;
		}
		if (count > 0 && count % DOUBLE_AFTER == 0)
			base *= 2;
		if (!vrs_ticker_wait(&s->ticker, now + (wait > base ? wait : base)))
			break;
	}
	if (vrs_now_ns() - now >= least_interval_ns)
		put_border(s, vrs_now_ns());
	s->cost_ns = vrs_thread_cpu_ns() - cpu_start;
	s->end_ns = vrs_now_ns();
	return NULL;
}

static void release(struct vrs_sampler *s)
{
	if (s->out)
		fclose(s->out);
	if (s->statm >= 0)
		close(s->statm);
	vrs_free(s->machine);
	vrs_free(s);
}

/* A new file; what had its name, such as a link, is not written. */
static FILE *create(const char *path)
{
	(void)unlink(path);
	return fopen(path, "wxe");
}

struct vrs_sampler *vrs_sampler_start(const char *frames_file)
{
	struct vrs_sampler *s = vrs_calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	s->machine = vrs_machine_for_sensors();
	s->joules = NAN;
	s->sum.device_peak = -1;
	s->start_ns = vrs_now_ns();
	if (vrs_samples_name(frames_file, s->path, sizeof s->path))
		s->out = create(s->path);
	static const char head[] = "# seconds\trss_bytes\tclock_mhz\ttemperature_c\tpower_watts\tdevice_percent\tdevice_bytes\tdevice_watts\n";
	bool ready = s->machine && s->out && s->statm >= 0 &&
		     fputs(head, s->out) > 0;
	if (ready)
		put_border(s, s->start_ns);
	if (!ready || vrs_ticker_start(&s->ticker, sample, s, NULL) != VRS_OK) {
		if (s->out)
			(void)unlink(s->path);
		release(s);
		return NULL;
	}
	return s;
}

void vrs_sampler_measure(struct vrs_sampler *sampler, bool on)
{
	if (sampler)
		atomic_store_explicit(&sampler->measuring, on, memory_order_relaxed);
}

void vrs_sampler_stop(struct vrs_sampler *s, struct vrs_run *run, bool keep)
{
	if (!s)
		return;
	vrs_ticker_end(&s->ticker);
	const struct sampled *sum = &s->sum;
	run->sampling_percent = s->end_ns > s->start_ns ? fmin(100, 100 * (double)s->cost_ns / (double)(s->end_ns - s->start_ns)) : NAN;
	run->power_watts = sum->watts_count ? sum->watts / sum->watts_count : NAN;
	run->joules_per_frame = sum->watts_count && run->fps > 0 ? run->power_watts / run->fps : NAN;
	run->device_percent = sum->percent_count ? fmin(100, sum->device_percent / sum->percent_count) : NAN;
	run->device_watts = sum->device_watts_count ? sum->device_watts / sum->device_watts_count : NAN;
	run->device_peak_bytes = sum->device_peak;
	if (!keep || ferror(s->out) || fflush(s->out) != 0)
		(void)unlink(s->path);
	release(s);
}

/* One line; what is empty stays absent. */
static bool parse_sample(const char *line, struct vrs_sample *to)
{
	*to = empty_sample();
	for (const struct vrs_field *f = columns; f->key; f++) {
		char word[40];
		double value;
		size_t n = strcspn(line, "\t\n");
		if (n >= sizeof word || line[n] != (f[1].key ? '\t' : '\n'))
			return false;
		snprintf(word, sizeof word, "%.*s", (int)n, line);
		if (n > 0 && !vrs_parse_double(word, -1000, 9e15, &value))
			return false;
		if (n > 0 && f->kind == VRS_FIELD_DOUBLE)
			*(double *)((char *)to + f->offset) = value;
		else if (n > 0)
			*(int64_t *)((char *)to + f->offset) = (int64_t)value;
		line += n + 1;
	}
	return to->seconds >= 0;
}

enum vrs_status vrs_samples_read(const char *path, struct vrs_sample **ret_samples, int *ret_count, struct vrs_error *err)
{
	char line[320];
	void *items = NULL;
	size_t capacity = 0;
	int count = 0;
	FILE *in;
	enum vrs_status status = vrs_file_open_stream(path, &in, err);
	if (status != VRS_OK)
		return status;
	while (count < VRS_SAMPLES_MAX && fgets(line, sizeof line, in)) {
		struct vrs_sample one;
		if (line[0] == '#')
			continue;
		if (!parse_sample(line, &one))
			break;
		status = vrs_array_grow(&items, &capacity, (size_t)count + 1, sizeof one, VRS_SAMPLES_MAX);
		if (status != VRS_OK)
			break;
		((struct vrs_sample *)items)[count++] = one;
	}
	fclose(in);
	if (status != VRS_OK) {
		vrs_free(items);
		return vrs_fail(err, status, "there is not enough memory for the samples of %s", path);
	}
	*ret_samples = items;
	*ret_count = count;
	return VRS_OK;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

void vrs_run_usage_read(const struct vrs_perf_events *events, struct vrs_run_usage *ret_usage)
{
	struct rusage usage;
	bool known = getrusage(RUSAGE_SELF, &usage) == 0;
	ret_usage->user_seconds = known ? seconds(&usage.ru_utime) : NAN;
	ret_usage->system_seconds = known ? seconds(&usage.ru_stime) : NAN;
	vrs_perf_events_read(events, ret_usage->counts);
}

static int64_t counted(const struct vrs_run_usage *start, const struct vrs_run_usage *end, enum vrs_perf_kind kind)
{
	int64_t a = start->counts[kind], b = end->counts[kind];
	return a >= 0 && b > a ? b - a : -1; /* a measured part without a single cycle was not counted */
}

void vrs_run_usage_put(const struct vrs_run_usage *start, const struct vrs_run_usage *end, bool user_only, struct vrs_run *run)
{
	run->user_seconds = end->user_seconds - start->user_seconds;
	run->system_seconds = end->system_seconds - start->system_seconds;
	run->cycles = counted(start, end, VRS_PERF_CYCLES);
	run->instructions = counted(start, end, VRS_PERF_INSTRUCTIONS);
	run->cache_misses = counted(start, end, VRS_PERF_CACHE_MISSES);
	double busy = user_only ? run->user_seconds : run->user_seconds + run->system_seconds;
	if (run->cycles > 0 && busy > 0)
		run->cycles_mhz = 1e-6 * (double)run->cycles / busy;
	if (run->cache_misses > 0 && run->wall_seconds > 0)
		run->miss_gbps = 1e-9 * CACHE_LINE * (double)run->cache_misses / run->wall_seconds;
}
