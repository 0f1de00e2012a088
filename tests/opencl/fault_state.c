/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the fault layer, its counters and the decision whether a call fails. */
#include "fault_state.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODE_HANG 1 /* no OpenCL code is positive */
#define CODE_CRASH 2
#define CODE_EXIT 3
#define MAX_SETTING 256

/* Lines of the file of VRS_CL_COUNT, all of one width, so that numbers change in place. */
#define LINE_BYTES 64
#define LINE_FORMAT "%-6s %-40s %15" PRIu64 "\n"
#define NUMBER_AT 48

enum {
	LINE_FIRED = FAULT_N_CALLS,
	LINE_SEEN,
	LINE_MISUSED,
	LINE_BYTES_NOW,
	LINE_BYTES_PEAK,
	LINE_MADE,
	LINE_LEFT = LINE_MADE + FAULT_N_COUNTED,
	N_LINES = LINE_LEFT + FAULT_N_COUNTED,
};

#define NAME_TEXT(name, ...) #name,
#define NO_CODE(name, type) CL_OUT_OF_RESOURCES,
#define CODE_2(name, code) code,
#define CODE_3(name, of, code, ...) code,
#define CODE_5(name, type, kind, of, code, ...) code,
#define CODE_QUEUE(name, ...) CL_OUT_OF_RESOURCES,
static const char *const names[] = {
	FAULT_CALLS(NAME_TEXT, NAME_TEXT, NAME_TEXT, NAME_TEXT, NAME_TEXT, NAME_TEXT, NAME_TEXT, NAME_TEXT) FAULT_EXTENSIONS(NAME_TEXT)};
static const cl_int default_codes[] = {FAULT_CALLS(CODE_3, CODE_3, CODE_3, NO_CODE, NO_CODE, CODE_5, CODE_QUEUE, CODE_2) FAULT_EXTENSIONS(CODE_2)};
static const char *const kinds[] = {"contexts", "queues", "buffers", "programs", "kernels", "events", "mappings", "recordings"};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct fault_settings settings = {.pci_bus = -1};
static struct {
	char pattern[MAX_SETTING]; /* "": no fault */
	uint64_t at;
	cl_int code; /* CL_SUCCESS: the call's own */
	bool sticky;
	int device; /* index; -1: calls on any */
} fault = {.device = -1};
static bool everything_lost;
static cl_device_id lost_device;
static int count_fd = -1;
static char *lines;
static bool trace;

static void refuse(const char *variable, const char *value, const char *what)
{
	(void)fprintf(stderr, "fault layer: %s=%s: %s\n", variable, value, what);
	_exit(125);
}

const struct fault_settings *fault_settings(void)
{
	return &settings;
}

const char *fault_call_name(enum fault_call call)
{
	return names[call];
}

static uint64_t number_of(const char *variable, const char *text)
{
	char *end = NULL;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-')
		refuse(variable, text, "not a number");
	return value;
}

static bool is_on(const char *variable)
{
	const char *text = getenv(variable);

	if (text && strcmp(text, "1") != 0)
		refuse(variable, text, "want 1");
	return text != NULL;
}

/* "clEnqueue*:3:-5": CALL:N[:CODE], CALL a pattern of the shell. */
static void read_fault(const char *text)
{
	char copy[MAX_SETTING], *n, *code;
	bool known = false;

	if (strlen(text) >= sizeof copy)
		refuse("VRS_CL_FAULT", text, "too long");
	(void)strcpy(copy, text);
	n = strchr(copy, ':');
	if (!n)
		refuse("VRS_CL_FAULT", text, "want CALL:N or CALL:N:CODE");
	*n++ = '\0';
	code = strchr(n, ':');
	if (code)
		*code++ = '\0';
	(void)strcpy(fault.pattern, copy);
	for (int i = 0; i < FAULT_N_CALLS; i++)
		known = known || fnmatch(copy, names[i], 0) == 0;
	if (!known)
		refuse("VRS_CL_FAULT", text, "the layer knows no such function");
	fault.at = number_of("VRS_CL_FAULT", n);
	if (!code)
		return;
	if (strcmp(code, "hang") == 0)
		fault.code = CODE_HANG;
	else if (strcmp(code, "crash") == 0)
		fault.code = CODE_CRASH;
	else if (strcmp(code, "exit") == 0)
		fault.code = CODE_EXIT;
	else if (code[0] == '-' && code[1] != '\0')
		fault.code = -(cl_int)number_of("VRS_CL_FAULT", code + 1);
	else
		refuse("VRS_CL_FAULT", text, "the code is a negative number, hang, crash or exit");
}

static void write_layout(void)
{
	char text[N_LINES * LINE_BYTES + 1], *p = text;
	const char *const own[] = {"fired", "seen", "misused", "now", "peak"};
	const char *const groups[] = {"fault", "fault", "fault", "bytes", "bytes"};

	for (int i = 0; i < FAULT_N_CALLS; i++)
		p += sprintf(p, LINE_FORMAT, "calls", names[i], UINT64_C(0));
	for (int i = 0; i < 5; i++)
		p += sprintf(p, LINE_FORMAT, groups[i], own[i], UINT64_C(0));
	for (int i = 0; i < 2 * FAULT_N_COUNTED; i++)
		p += sprintf(p, LINE_FORMAT, i < FAULT_N_COUNTED ? "made" : "left", kinds[i % FAULT_N_COUNTED], UINT64_C(0));
	if (write(count_fd, text, (size_t)(p - text)) != p - text)
		refuse("VRS_CL_COUNT", "", "cannot write");
}

/* Threads wait for one another, and so do the processes of a run. */
static void lock(void)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	(void)pthread_mutex_lock(&mutex);
	while (count_fd >= 0 && fcntl(count_fd, F_SETLKW, &whole) < 0 && errno == EINTR)
		;
}

static void unlock(void)
{
	struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	if (count_fd >= 0)
		(void)fcntl(count_fd, F_SETLK, &whole);
	(void)pthread_mutex_unlock(&mutex);
}

/* A file that is there already is added to: the processes of a run count together. */
static void map_lines(const char *path)
{
	const size_t bytes = (size_t)N_LINES * LINE_BYTES;
	struct stat st;

	if (!path) {
		lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (lines == MAP_FAILED)
			refuse("VRS_CL_COUNT", "", strerror(errno));
		memset(lines, ' ', bytes);
		for (int i = 0; i < N_LINES; i++) /* a number in each, or the one of a later line would be read for it */
			lines[i * LINE_BYTES + NUMBER_AT] = '0';
		return;
	}
	count_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (count_fd < 0)
		refuse("VRS_CL_COUNT", path, strerror(errno));
	lock();
	if (fstat(count_fd, &st) == 0 && st.st_size == 0)
		write_layout();
	else if (st.st_size != (off_t)bytes)
		refuse("VRS_CL_COUNT", path, "there is a file that is not ours");
	lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, count_fd, 0);
	if (lines == MAP_FAILED)
		refuse("VRS_CL_COUNT", path, strerror(errno));
	unlock();
}

static uint64_t read_line(int line)
{
	return strtoull(lines + line * LINE_BYTES + NUMBER_AT, NULL, 10);
}

static void write_line(int line, uint64_t value)
{
	char text[LINE_BYTES];

	(void)snprintf(text, sizeof text, "%15" PRIu64, value);
	memcpy(lines + line * LINE_BYTES + NUMBER_AT, text, LINE_BYTES - NUMBER_AT - 1);
}

static uint64_t add(int line, int64_t by)
{
	uint64_t value = read_line(line) + (uint64_t)by;

	write_line(line, value);
	return value;
}

static void read_devices(void)
{
	const char *text;

	settings.platform = getenv("VRS_CL_PLATFORM");
	settings.name = getenv("VRS_CL_NAME");
	settings.extensions = getenv("VRS_CL_EXTENSIONS");
	text = getenv("VRS_CL_TYPE");
	if (text && strcmp(text, "gpu") == 0)
		settings.type = CL_DEVICE_TYPE_GPU;
	else if (text && strcmp(text, "cpu") == 0)
		settings.type = CL_DEVICE_TYPE_CPU;
	else if (text && strcmp(text, "accelerator") == 0)
		settings.type = CL_DEVICE_TYPE_ACCELERATOR;
	else if (text)
		refuse("VRS_CL_TYPE", text, "want gpu, cpu or accelerator");
	text = getenv("VRS_CL_PCI_BUS");
	if (text)
		settings.pci_bus = (int)(number_of("VRS_CL_PCI_BUS", text) & 0xff);
}

static void read_sizes(void)
{
	const char *text = getenv("VRS_CL_MAX_ALLOC");

	if (text)
		settings.max_alloc = number_of("VRS_CL_MAX_ALLOC", text);
	text = getenv("VRS_CL_UNITS");
	if (text)
		settings.units = (unsigned)number_of("VRS_CL_UNITS", text);
	text = getenv("VRS_CL_GLOBAL");
	if (text)
		settings.global = number_of("VRS_CL_GLOBAL", text);
	text = getenv("VRS_CL_GROUP");
	if (text)
		settings.group = (size_t)number_of("VRS_CL_GROUP", text);
	settings.late = is_on("VRS_CL_LATE");
	settings.separate = is_on("VRS_CL_SEPARATE");
	settings.keep = is_on("VRS_CL_KEEP");
}

void fault_start(void)
{
	const char *text = getenv("VRS_CL_FAULT");

	if (text)
		read_fault(text);
	fault.sticky = is_on("VRS_CL_FAULT_STICKY");
	text = getenv("VRS_CL_FAULT_DEVICE");
	if (text)
		fault.device = (int)(number_of("VRS_CL_FAULT_DEVICE", text) & 0xff);
	text = getenv("VRS_CL_BUILD");
	if (text && strcmp(text, "fail") == 0)
		settings.build = FAULT_BUILD_FAIL;
	else if (text && strcmp(text, "hang") == 0)
		settings.build = FAULT_BUILD_HANG;
	else if (text)
		refuse("VRS_CL_BUILD", text, "want fail or hang");
	trace = is_on("VRS_CL_TRACE");
	read_devices();
	read_sizes();
	map_lines(getenv("VRS_CL_COUNT"));
}

void fault_count_made(enum fault_kind kind, int made, int left)
{
	lock();
	(void)add(LINE_MADE + (int)kind, made);
	(void)add(LINE_LEFT + (int)kind, left);
	unlock();
}

void fault_count_bytes(int64_t by)
{
	uint64_t now;

	lock();
	now = add(LINE_BYTES_NOW, by);
	if (now > read_line(LINE_BYTES_PEAK))
		write_line(LINE_BYTES_PEAK, now);
	unlock();
}

void fault_count_misuse(enum fault_call call, const char *what)
{
	lock();
	(void)add(LINE_MISUSED, 1);
	unlock();
	(void)fprintf(stderr, "fault layer: %s %s\n", names[call], what);
}

/* Under the lock: is this call the one? */
static bool is_the_one(enum fault_call call, cl_device_id device, int index)
{
	uint64_t seen;

	if (fault.pattern[0] == '\0' || fnmatch(fault.pattern, names[call], 0) != 0)
		return false;
	if (fault.device >= 0 && index != fault.device)
		return false;
	seen = add(LINE_SEEN, 1);
	if (seen != fault.at)
		return false;
	(void)add(LINE_FIRED, 1);
	if (fault.sticky) {
		everything_lost = !device;
		lost_device = device;
	}
	return true;
}

bool fault_due(enum fault_call call, const void *of, bool only_asks, cl_int *ret_code)
{
	cl_device_id device = NULL;
	bool is_lost, is_due;
	int index = -1;

	if (of && !fault_is_alive(of)) {
		fault_count_misuse(call, "of an object that is not alive");
		*ret_code = CL_INVALID_VALUE;
		return true;
	}
	if (of)
		device = fault_device_of(of);
	if (device)
		index = fault_device_index(device);
	lock();
	(void)add((int)call, 1);
	is_lost = everything_lost || (!only_asks && device && device == lost_device);
	is_due = is_the_one(call, device, index);
	unlock();
	if (trace)
		(void)fprintf(stderr, "fault layer: %s%s\n", names[call], is_lost ? ": lost" : is_due ? ": fault" : "");
	if (!is_lost && !is_due)
		return false;
	while (fault.code == CODE_HANG)
		(void)pause();
	if (fault.code == CODE_CRASH)
		abort();
	if (fault.code == CODE_EXIT)
		exit(1);
	*ret_code = fault.code != CL_SUCCESS ? fault.code : default_codes[call];
	return true;
}
