/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what becomes of a run whose device is lost: with replace_lost it is made again with the same inputs by the next device of the list, then by
 * the CPU, whichever part it fails at; views stay what they are; carried inputs begin at zero; each device is told once; clones go on where their
 * session is.  Without replace_lost, and on the host, a failure is one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/log.h>
#include <vrseg/session.h>

#include "session/session_graph.h"
#include "unit/session/fake_device.h"

static char told[1024];

static void listen(void *cookie, enum vrs_log_level level, const char *line)
{
	size_t used = strlen(told);

	(void)cookie;
	if (level == VRS_LOG_WARNING)
		snprintf(told + used, sizeof told - used, "%s\n", line);
}

static struct vrs_session *open_on(const struct vrs_backend *backend, const struct vrs_model *model, const char *device, bool replaces)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	fake.log[0] = told[0] = '\0';
	fake.fails = fake.lost = "";
	options.threads = 1;
	options.device = device;
	options.replace_lost = replaces;
	if (vrs_session_create_on(&session, backend, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

static void fill(struct vrs_session *session, int index, float value)
{
	struct vrs_tensor_view in = vrs_session_input(session, index);

	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = value + (float)i;
}

/* Output 0 is value + scale * i at place i; output 1 the mean of each channel. */
static void expect_sum(struct vrs_session *session, float value, float scale)
{
	struct vrs_tensor_view sum = vrs_session_output(session, 0), mean = vrs_session_output(session, 1);

	for (size_t i = 0; i < sum.elements; i++)
		assert_true(sum.data[i] == value + scale * (float)i);
	for (int c = 0; c < FAKE_CHANNELS; c++)
		assert_true(mean.data[c] == value + scale * ((float)c + FAKE_CHANNELS * (FAKE_SIDE * FAKE_SIDE - 1) / 2.0f));
}

static void expect_place(const struct vrs_session *session, const char *backend, const char *device, int lost)
{
	struct vrs_session_info info = vrs_session_info(session);

	assert_string_equal(info.backend, backend);
	assert_string_equal(info.device, device);
	assert_int_equal(info.devices_lost, lost);
}

static void every_part(void **state)
{
	static const char *const parts[] = {"u0", "u1", "s", "d0", "d1", "w", "u1 w", "s w"};
	struct vrs_model *model = fake_model();

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char device[32];

		snprintf(device, sizeof device, "part %zu", i); /* of its own, since each is told once */
		struct vrs_session *session = open_on(&fake_device, model, device, true);
		const void *in = vrs_session_input(session, 0).raw, *out = vrs_session_output(session, 0).raw;

		fill(session, 0, 1);
		fill(session, 1, 10);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_place(session, "fake", device, 0);
		fill(session, 0, 2);
		fake.fails = parts[i];
		for (int k = 0; k < 2; k++) {
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
			expect_sum(session, 12, 2);
			expect_place(session, "cpu", "", 1);
		}
		fill(session, 1, 20);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_sum(session, 22, 2);
		assert_ptr_equal(vrs_session_input(session, 0).raw, in);
		assert_ptr_equal(vrs_session_output(session, 0).raw, out);
		vrs_session_destroy(session);
		char line[200];
		snprintf(line, sizeof line, "the device %s failed: the fake device fails at %.2s; going on with the CPU\n", device, parts[i]);
		if (parts[i][1] == '\0' || parts[i][1] == ' ')
			snprintf(line, sizeof line, "the device %s failed: the fake device fails at %c; going on with the CPU\n", device, parts[i][0]);
		assert_string_equal(told, line);
	}
	vrs_model_destroy(model);
}

/* One after another; a device that is gone as well is passed over. */
static void the_list(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model, "0+1+2+3", true);

	(void)state;
	fill(session, 0, 1);
	fill(session, 1, 10);
	fake.lost = "0";
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_sum(session, 11, 2);
	expect_place(session, "fake", "1+2+3", 1);
	fake.lost = "012";
	fill(session, 0, 5);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_sum(session, 15, 2);
	expect_place(session, "fake", "3", 3); /* 0 and 1, and 2 that cannot be opened: whoever leaves so many out begins at 3 */
	fake.lost = "0123";
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_sum(session, 15, 2);
	expect_place(session, "cpu", "", 4);
	assert_string_equal(told, "the device 0+1+2+3 (number 0) failed: the fake device 0+1+2+3 is lost; going on with the device 1+2+3\n"
				  "the device 1+2+3 (number 1) failed: the fake device 1+2+3 is lost; going on with the device 3\n"
				  "the device 3 (number 3) failed: the fake device 3 is lost; going on with the CPU\n");
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* What only the device had is gone; what the host has too is not. */
static void carried_inputs(void **state)
{
	const struct vrs_backend *const backends[] = {&fake_device, &fake_device_plain};
	static const float values[] = {1, 12}, scales[] = {1, 3}; /* 1 + i, and nothing or what was carried */
	struct vrs_model *model = fake_model();

	(void)state;
	for (int b = 0; b < 2; b++) {
		struct vrs_session *session = open_on(backends[b], model, b ? "4" : "5", true);

		fill(session, 0, 1);
		fill(session, 1, 10);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		assert_int_equal(vrs_session_carry(session, 0, 1, NULL), VRS_OK);
		fake.lost = "45";
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_sum(session, values[b], scales[b]);
		assert_true((strstr(told, "going on with the CPU; states that were on it begin anew\n") != NULL) == (b == 0));
		for (int i = 1; i < 3; i++) { /* and from there on as ever */
			assert_int_equal(vrs_session_carry(session, 0, 1, NULL), VRS_OK);
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
			expect_sum(session, values[b] + (float)i, scales[b] + (float)i);
		}
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

/* Two sessions on a device tell of it once. */
static void clones(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model, "6+7", true), *clone = NULL, *later = NULL;

	(void)state;
	assert_int_equal(vrs_session_clone(&clone, session, NULL), VRS_OK);
	fake.lost = "6";
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	assert_int_equal(vrs_session_run(clone, NULL), VRS_OK);
	expect_place(clone, "fake", "7", 1);
	assert_true(told[0] != '\0');
	assert_ptr_equal(strchr(told, '\n'), strrchr(told, '\n'));
	assert_int_equal(vrs_session_clone(&later, session, NULL), VRS_OK);
	expect_place(later, "fake", "7", 0);
	fill(later, 0, 1);
	fill(later, 1, 10);
	assert_int_equal(vrs_session_run(later, NULL), VRS_OK);
	expect_sum(later, 11, 2);
	vrs_session_destroy(session);
	vrs_session_destroy(later);
	vrs_session_destroy(clone);
	vrs_model_destroy(model);
}

/* A stop that was asked for before still ends runs. */
static void stops(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model, "8", true);
	const atomic_bool stop = true;

	(void)state;
	vrs_session_stop_by(session, &stop);
	fake.lost = "8";
	assert_int_equal(vrs_session_run(session, NULL), VRS_ESTOPPED);
	expect_place(session, "cpu", "", 1);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void not_asked_for(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model, "9", false);
	struct vrs_error err = {0};

	(void)state;
	fake.lost = "9";
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vrs_session_run(session, &err), VRS_EDEVICE);
		assert_string_equal(err.text, "the fake device 9 is lost");
	}
	expect_place(session, "fake", "9", 0);
	vrs_session_destroy(session);
	session = open_on(&fake_device, model, "9", true);
	fake.fails = "u1"; /* the parts of a run fail all the same */
	assert_int_equal(vrs_session_upload(session, 1, NULL), VRS_EDEVICE);
	vrs_session_destroy(session);
	assert_string_equal(told, "");
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part), cmocka_unit_test(the_list), cmocka_unit_test(carried_inputs), cmocka_unit_test(clones),
		cmocka_unit_test(stops), cmocka_unit_test(not_asked_for),
	};

	vrs_log_set_sink(listen, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
