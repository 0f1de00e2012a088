/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards slots for states: a steady run brings down one output and takes up one input, with the values of one whose state goes through the host;
 * an output that is read besides comes down; the next run tells what a slot failed at, and goes on elsewhere with states of zeros where it may; a
 * session that can have no slots works as ever.
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

enum { X, STATE };
enum { SUM, MEAN };

static const struct vrs_session_state one_state = {.input = STATE, .output = SUM};
static struct vrs_model *model;
static char told[512];

static void listen(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	if (level == VRS_LOG_WARNING)
		snprintf(told, sizeof told, "%s", line);
}

static struct vrs_session *open_on(const struct vrs_backend *backend, bool replaces, const char *device)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;

	fake.fails = fake.lost = "";
	fake.log[0] = told[0] = '\0';
	options.threads = 1;
	options.device = device;
	options.replace_lost = replaces;
	assert_int_equal(vrs_session_create_on(&session, backend, model, &options, NULL), VRS_OK);
	struct vrs_tensor_view x = vrs_session_input(session, X);

	for (size_t i = 0; i < x.elements; i++)
		x.data[i] = (float)(i + 1);
	return session;
}

static struct vrs_session *open_with_slots(bool replaces, const char *device)
{
	struct vrs_session *session = open_on(&fake_device, replaces, device);

	assert_int_equal(vrs_session_slots_create(session, &one_state, 1, 3, NULL), VRS_OK);
	assert_true(vrs_session_has_slots(session));
	return session;
}

static void expect_log(const char *words)
{
	assert_string_equal(fake.log, words);
	fake.log[0] = '\0';
}

/* Channel 0 of x is 1, 4, .. 46, 23.5 in the middle. */
static void expect_mean(struct vrs_session *session, float times)
{
	assert_true(vrs_session_output(session, MEAN).data[0] == 23.5f * times);
}

static void a_steady_run_moves_little(void **state)
{
	struct vrs_session *session = open_with_slots(false, NULL);
	float values[FAKE_FLOATS];

	(void)state;
	for (int i = 1; i < 4; i++) {
		vrs_session_slot_use(session, i > 1 ? 2 : -1, 0);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		vrs_session_slot_keep(session, 0, 2);
		expect_log(i > 1 ? "g2>0 u0 s d1 w k0>2" : "g->0 u0 s d1 w k0>2");
		expect_mean(session, (float)i);
		assert_true(vrs_session_output(session, SUM).data[0] == 0); /* never came down */
	}
	assert_int_equal(vrs_session_slot_read(session, 2, values, NULL), VRS_OK);
	expect_log("r2");
	for (int i = 0; i < FAKE_FLOATS; i++) {
		assert_true(values[i] == 3.0f * (float)(i + 1));
		values[i] = (float)(i + 1);
	}
	vrs_session_slot_write(session, 0, values);
	vrs_session_slot_use(session, 0, 0);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_log("p0 g0>0 u0 s d1 w");
	expect_mean(session, 2);
	struct vrs_tensor_view host = vrs_session_input(session, STATE);

	memcpy(host.data, values, sizeof values); /* whoever uploads it has it in the next run */
	assert_int_equal(vrs_session_upload(session, STATE, NULL), VRS_OK);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_log("u1 u0 u1 s d1 w");
	vrs_session_destroy(session);
}

static void what_is_read_comes_down(void **state)
{
	const struct vrs_session_state read = {.input = STATE, .output = SUM, .is_read = true};
	struct vrs_session *session = open_on(&fake_device, false, NULL);

	(void)state;
	assert_int_equal(vrs_session_slots_create(session, &read, 1, 1, NULL), VRS_OK);
	vrs_session_slot_use(session, -1, 0);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_log("g->0 u0 s d0 d1 w");
	assert_true(vrs_session_output(session, SUM).data[2] == 3);
	vrs_session_destroy(session);
}

/* Each call of a slot fails: nothing is called after it, and the next run says what it was. */
static void the_next_run_tells(void **state)
{
	static const char *const fails[] = {"g1>0", "k0>1", "r1", "p1"};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_session *session = open_with_slots(false, NULL);
		struct vrs_error err = {0};
		float values[FAKE_FLOATS] = {1};
		char text[64];

		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		fake.fails = fails[i];
		fake.log[0] = '\0';
		if (i == 0)
			vrs_session_slot_use(session, 1, 0);
		else if (i == 1)
			vrs_session_slot_keep(session, 0, 1);
		else if (i == 2)
			assert_int_equal(vrs_session_slot_read(session, 1, values, NULL), VRS_EDEVICE);
		else
			vrs_session_slot_write(session, 1, values);
		vrs_session_slot_use(session, 0, 0);
		assert_int_equal(vrs_session_slot_read(session, 0, values, &err), VRS_EDEVICE);
		snprintf(text, sizeof text, "the fake device fails at %s", fails[i]);
		assert_string_equal(err.text, text);
		assert_true(values[0] == 0);
		memset(&err, 0, sizeof err);
		assert_int_equal(vrs_session_run(session, &err), VRS_EDEVICE);
		assert_string_equal(err.text, text);
		expect_log(fails[i]);
		vrs_session_destroy(session);
	}
}

/* When the device is lost: in a run, or at a slot between two runs. */
static void replaced_states_are_zeros(void **state)
{
	(void)state;
	for (int when = 0; when < 4; when++) {
		char device[16];

		snprintf(device, sizeof device, "%d", when); /* each is told once */
		struct vrs_session *session = open_with_slots(true, device);
		float values[FAKE_FLOATS] = {1};

		vrs_session_slot_use(session, -1, 0);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		if (when == 1)
			fake.fails = "k0>0";
		vrs_session_slot_keep(session, 0, 0);
		fake.lost = device;
		if (when == 2) {
			assert_int_equal(vrs_session_slot_read(session, 0, values, NULL), VRS_OK);
			assert_true(values[0] == 0);
		}
		if (when != 3)
			vrs_session_slot_use(session, 0, 0);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		assert_false(vrs_session_has_slots(session));
		assert_string_equal(vrs_session_info(session).backend, "cpu");
		expect_mean(session, 1);
		assert_true(vrs_session_output(session, SUM).data[2] == 3); /* everything is moved again */
		assert_non_null(strstr(told, "; going on with the CPU; states that were on it begin anew"));
		memcpy(vrs_session_input(session, STATE).data, vrs_session_output(session, SUM).data, sizeof values);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_mean(session, 2);
		vrs_session_destroy(session);
	}
}

static void expect_no_slots(struct vrs_session *session, const struct vrs_session_state *of, int states, int count, enum vrs_status status,
			    const char *text)
{
	struct vrs_error err = {0};

	assert_int_equal(vrs_session_slots_create(session, of, states, count, &err), status);
	assert_string_equal(err.text, text);
	assert_false(vrs_session_has_slots(session));
}

static void sessions_without_slots(void **state)
{
	static const struct vrs_session_state apart = {.input = STATE, .output = MEAN}, beyond = {.input = 2, .output = SUM},
		two[2] = {{.input = STATE, .output = SUM}, {.input = X, .output = SUM}};
	struct vrs_session *session = open_on(&vrs_backend_cpu, false, NULL);

	(void)state;
	expect_no_slots(session, &one_state, 1, 1, VRS_EUNSUPPORTED, "the backend cpu keeps no states on a device");
	vrs_session_destroy(session);
	session = open_on(&fake_device, false, NULL);
	expect_no_slots(session, &one_state, 1, 0, VRS_EINVAL, "0 slots for 1 states cannot be; 1 to 8 states are possible");
	expect_no_slots(session, &one_state, 9, 1, VRS_EINVAL, "1 slots for 9 states cannot be; 1 to 8 states are possible");
	expect_no_slots(session, &beyond, 1, 1, VRS_EINVAL, "there is no input 2 or no output 0 for a state");
	expect_no_slots(session, &apart, 1, 1, VRS_EUNSUPPORTED, "input 1 and output 1 are no state of a batch");
	expect_no_slots(session, two, 2, 1, VRS_ENOMEM, "the fake device has no room for 1 slots of 2 states");
	expect_no_slots(session, &one_state, 1, FAKE_SLOTS + 1, VRS_ENOMEM, "the fake device has no room for 18 slots of 1 states");
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	expect_log("u0 u1 s d0 d1 w");
	vrs_session_destroy(session);
}

static int make_model(void **state)
{
	(void)state;
	model = fake_model();
	vrs_log_set_sink(listen, NULL);
	return 0;
}

static int free_model(void **state)
{
	(void)state;
	vrs_model_destroy(model);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_steady_run_moves_little), cmocka_unit_test(what_is_read_comes_down), cmocka_unit_test(the_next_run_tells),
		cmocka_unit_test(replaced_states_are_zeros), cmocka_unit_test(sessions_without_slots),
	};

	return cmocka_run_group_tests(tests, make_model, free_model);
}
