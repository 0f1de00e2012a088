/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the parts of a run, with a device that does what is queued only when somebody waits: a run is its parts in order, and waits after a failure
 * of each of them; the first failure is the one that is told; outputs hold nothing after it; carry gives the same values on the host, on a device and
 * through the host, and refuses what does not fit; the device that is asked for lives on in clones; options of devices out of range are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "session/backend_list.h"
#include "session/session_graph.h"
#include "unit/session/fake_device.h"

static struct vrs_session *open_on(const struct vrs_backend *backend, const struct vrs_model *model)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	fake.log[0] = '\0';
	fake.fails = "";
	options.threads = 1;
	if (vrs_session_create_on(&session, backend, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

/* Input `index` gets value + i at place i. */
static void fill(struct vrs_session *session, int index, float value)
{
	struct vrs_tensor_view in = vrs_session_input(session, index);

	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = value + (float)i;
}

/* Output 0 is value + scale * i at place i, output 1 the mean of each channel. */
static void expect_sum(struct vrs_session *session, float value, float scale)
{
	struct vrs_tensor_view sum = vrs_session_output(session, 0), mean = vrs_session_output(session, 1);

	assert_int_equal(sum.elements, FAKE_FLOATS);
	for (size_t i = 0; i < sum.elements; i++)
		assert_true(sum.data[i] == value + scale * (float)i);
	for (int c = 0; c < FAKE_CHANNELS; c++)
		assert_true(mean.data[c] == value + scale * ((float)c + FAKE_CHANNELS * (FAKE_SIDE * FAKE_SIDE - 1) / 2.0f));
}

static void expect_log(const char *words)
{
	assert_string_equal(fake.log, words);
	fake.log[0] = '\0';
}

static void run_by_parts(struct vrs_session *session)
{
	struct vrs_error err = {0};

	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_session_upload(session, i, &err), VRS_OK);
	assert_int_equal(vrs_session_start(session, &err), VRS_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_session_download(session, i, &err), VRS_OK);
	assert_int_equal(vrs_session_wait(session, &err), VRS_OK);
}

static void run_is_its_parts(void **state)
{
	const struct vrs_backend *const backends[] = {&fake_device, &fake_device_plain, &vrs_backend_cpu, &vrs_backend_ref};
	struct vrs_model *model = fake_model();

	(void)state;
	for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
		struct vrs_session *session = open_on(backends[b], model);

		fill(session, 0, 1);
		fill(session, 1, 10);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_log(b < 2 ? "u0 u1 s d0 d1 w" : "");
		expect_sum(session, 11, 2);
		fill(session, 0, 2);
		run_by_parts(session);
		expect_log(b < 2 ? "u0 u1 s d0 d1 w" : "");
		expect_sum(session, 12, 2);
		assert_int_equal(vrs_session_wait(session, NULL), VRS_OK); /* nothing is queued */
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

/* Nothing is computed twice or waited for in between. */
static void runs_are_queued(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model);

	(void)state;
	fill(session, 0, 1);
	fill(session, 1, 10);
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_session_upload(session, i, NULL), VRS_OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(vrs_session_start(session, NULL), VRS_OK);
		if (i < 2)
			assert_int_equal(vrs_session_carry(session, 0, 1, NULL), VRS_OK);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_session_download(session, i, NULL), VRS_OK);
	expect_log("u0 u1 s c0>1 s c0>1 s d0 d1");
	assert_true(vrs_session_output(session, 0).data[0] == 0);
	assert_int_equal(vrs_session_wait(session, NULL), VRS_OK);
	expect_sum(session, 13, 4); /* x + (x + (x + state)) */
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* What fails, what the run has called then, and which failure it tells. */
static const struct {
	const char *fails, *log, *told;
} failures[] = {
	{"u0", "u0 w", "u0"}, {"u1", "u0 u1 w", "u1"}, {"s", "u0 u1 s w", "s"}, {"d0", "u0 u1 s d0 w", "d0"}, {"d1", "u0 u1 s d0 d1 w", "d1"},
	{"w", "u0 u1 s d0 d1 w", "w"}, {"u1 w", "u0 u1 w", "u1"}, {"s w", "u0 u1 s w", "s"}, {"d0 w", "u0 u1 s d0 w", "d0"},
};

static void failures_end_with_a_wait(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model);

	(void)state;
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		struct vrs_error err = {0};
		char text[64];

		fill(session, 0, 1);
		fill(session, 1, 10);
		fake.fails = failures[i].fails;
		assert_int_equal(vrs_session_run(session, &err), VRS_EDEVICE);
		snprintf(text, sizeof text, "the fake device fails at %s", failures[i].told);
		assert_string_equal(err.text, text);
		expect_log(failures[i].log);
		fake.fails = "";
		assert_int_equal(vrs_session_carry(session, 0, 1, &err), VRS_EINVAL);
		assert_int_equal(vrs_session_download(session, 0, &err), VRS_EINVAL);
		assert_string_equal(err.text, "output 0 holds nothing; start a run first");
		expect_log("");
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_log("u0 u1 s d0 d1 w");
		expect_sum(session, 11, 2);
	}
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* Each part tells its own failure. */
static void parts_fail(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&fake_device, model);

	(void)state;
	fake.fails = "u1";
	assert_int_equal(vrs_session_upload(session, 0, NULL), VRS_OK);
	assert_int_equal(vrs_session_upload(session, 1, NULL), VRS_EDEVICE);
	fake.fails = "s";
	assert_int_equal(vrs_session_start(session, NULL), VRS_EDEVICE);
	fake.fails = "c0>1";
	assert_int_equal(vrs_session_start(session, NULL), VRS_OK);
	assert_int_equal(vrs_session_carry(session, 0, 1, NULL), VRS_EDEVICE);
	fake.fails = "d1";
	assert_int_equal(vrs_session_download(session, 1, NULL), VRS_EDEVICE);
	fake.fails = "w";
	assert_int_equal(vrs_session_wait(session, NULL), VRS_EDEVICE);
	assert_int_equal(vrs_session_download(session, 0, NULL), VRS_EINVAL);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* A carried input keeps its value until it is uploaded again, wherever the tensors are. */
static void carry_is_the_same_everywhere(void **state)
{
	const struct vrs_backend *const backends[] = {&fake_device, &fake_device_plain, &vrs_backend_cpu, &vrs_backend_ref};
	struct vrs_model *model = fake_model();

	(void)state;
	for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
		struct vrs_session *session = open_on(backends[b], model);
		const char *const carried = b == 0 ? "c0>1" : b == 1 ? "d0 w u1" : "";
		const char *const run = b < 2 ? "u0 s d0 d1 w" : "";

		fill(session, 0, 1);
		fill(session, 1, 10);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		fake.log[0] = '\0';
		assert_int_equal(vrs_session_carry(session, 0, 1, NULL), VRS_OK);
		expect_log(carried);
		for (int i = 0; i < 2; i++) { /* the second run carries nothing */
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
			expect_log(run);
			expect_sum(session, 12, 3);
		}
		fill(session, 1, 20);
		assert_int_equal(vrs_session_upload(session, 1, NULL), VRS_OK);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_log(b < 2 ? "u1 u0 u1 s d0 d1 w" : "");
		expect_sum(session, 21, 2);
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

static void carry_through_host_fails(void **state)
{
	static const struct {
		const char *fails, *log;
	} cases[] = {{"d0", "d0 w"}, {"w", "d0 w"}, {"d0 w", "d0 w"}, {"u1", "d0 w u1"}};
	struct vrs_model *model = fake_model();

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_session *session = open_on(&fake_device_plain, model);
		struct vrs_error err = {0};
		char text[64];

		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		fake.log[0] = '\0';
		fake.fails = cases[i].fails;
		assert_int_equal(vrs_session_carry(session, 0, 1, &err), VRS_EDEVICE);
		expect_log(cases[i].log);
		snprintf(text, sizeof text, "the fake device fails at %.2s", cases[i].fails);
		assert_string_equal(err.text, text);
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

static void expect_no_carry(struct vrs_session *session, int output, int input, const char *words)
{
	struct vrs_error err = {0};

	assert_int_equal(vrs_session_carry(session, output, input, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, words));
}

static void what_does_not_fit_is_refused(void **state)
{
	const struct vrs_backend *const backends[] = {&fake_device, &fake_device_plain, &vrs_backend_cpu, &vrs_backend_ref, &vrs_backend_null};
	struct vrs_model *model = fake_model();

	(void)state;
	for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
		struct vrs_session *session = open_on(backends[b], model);

		expect_no_carry(session, 0, 1, "holds nothing");
		assert_int_equal(vrs_session_download(session, 0, NULL), VRS_EINVAL);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		expect_no_carry(session, 1, 0, "types or shapes differ");
		expect_no_carry(session, 2, 0, "there is no output 2; the session has 2");
		expect_no_carry(session, -1, 0, "there is no output -1");
		expect_no_carry(session, 0, 2, "there is no input 2; the session has 2");
		expect_no_carry(session, 0, -1, "there is no input -1");
		assert_int_equal(vrs_session_upload(session, 2, NULL), VRS_EINVAL);
		assert_int_equal(vrs_session_upload(session, -1, NULL), VRS_EINVAL);
		assert_int_equal(vrs_session_download(session, 2, NULL), VRS_EINVAL);
		expect_log(b < 2 ? "u0 u1 s d0 d1 w" : "");
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

/* The same dims, but whole numbers. */
static void types_have_to_agree(void **state)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_session *session;
	struct vrs_node cast;

	(void)state;
	vrs_graph_init(&graph);
	vrs_node_init(&cast, VRS_OP_CAST, "cast");
	cast.inputs = 1;
	cast.in[0] = build_input(&graph, FAKE_SIDE, FAKE_SIDE, FAKE_CHANNELS);
	cast.u.cast.to = VRS_I32;
	build_output(&graph, build_node(&graph, &cast));
	assert_int_equal(vrs_model_from_graph(&model, &graph, "cast", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	session = open_on(&vrs_backend_ref, model);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	assert_int_equal(vrs_session_output(session, 0).dtype, VRS_I32);
	expect_no_carry(session, 0, 0, "types or shapes differ");
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* The text may go when the session is made; the fake has no clone and is created again. */
static void device_stays(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL, *clone = NULL;
	struct vrs_session_info info;
	char name[] = "second";

	(void)state;
	options.device = name;
	assert_int_equal(vrs_session_create_on(&session, &fake_device, model, &options, NULL), VRS_OK);
	memset(name, 'x', sizeof name - 1);
	fake.device[0] = '\0';
	assert_int_equal(vrs_session_clone(&clone, session, NULL), VRS_OK);
	assert_string_equal(fake.device, "second");
	vrs_session_destroy(session);
	info = vrs_session_info(clone);
	assert_string_equal(info.backend, "fake");
	assert_string_equal(info.device, "second");
	assert_string_equal(info.driver, "fake 1.0");
	assert_int_equal(info.device_bytes, 4 * FAKE_FLOATS * sizeof(float));
	vrs_session_destroy(clone);

	options.device = "";
	assert_int_equal(vrs_session_create_on(&session, &fake_device, model, &options, NULL), VRS_OK);
	assert_string_equal(fake.device, "first");
	vrs_session_destroy(session);
	session = open_on(&vrs_backend_cpu, model);
	info = vrs_session_info(session);
	assert_string_equal(info.device, "");
	assert_string_equal(info.driver, "");
	assert_int_equal(info.device_bytes, 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* The host has no queues, and its ceilings are told by another function. */
static void host_has_no_device_times(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = open_on(&vrs_backend_cpu, model);
	struct vrs_device_span spans[VRS_DEVICE_QUEUES];
	struct vrs_device_ceilings ceilings;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	assert_false(vrs_session_device_spans(session, spans));
	assert_int_equal(vrs_session_ceilings(session, &ceilings, &err), VRS_EUNSUPPORTED);
	assert_int_equal(vrs_session_info(session).device_memory_bytes, 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void options_out_of_range(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	(void)state;
	for (int i = 0; i < 7; i++) {
		static const char *const words[] = {"-1 bytes of device memory", "level 3 of device tuning", "level -1 of device tuning",
			"a share of -0.1 of", "a share of 1.5 of", "a share of nan of", "arithmetic -1 of"};
		static const double shares[] = {0, 1, 0.5, -0.1, 1.5, NAN, 0};
		struct vrs_session_options options = vrs_session_options_default();

		options.device_bytes_max = i == 0 ? -1 : 0;
		options.device_tune = i == 1 ? 3 : i == 2 ? -1 : 0;
		options.device_math = i == 6 ? -1 : 0;
		options.device_memory_share = shares[i];
		assert_int_equal(vrs_session_create_on(&session, &fake_device, model, &options, &err), VRS_EINVAL);
		assert_non_null(strstr(err.text, words[i]));
	}
	assert_null(session);
	vrs_model_destroy(model);
}

/* Every allocation of a session on a device and of its clone fails once: always VRS_ENOMEM, and nothing is left. */
static void out_of_memory(void **state)
{
	struct vrs_model *model = fake_model();
	struct vrs_session_options options = vrs_session_options_default();
	bool fired = true;

	(void)state;
	options.device = "second";
	for (uint64_t n = 1; fired; n++) {
		uint64_t live = vrs_mem_stats().live_bytes;
		struct vrs_session *session = NULL, *clone = NULL;
		enum vrs_status status;

		assert_true(n < 10000);
		vrs_mem_fail_after(n, true);
		status = vrs_session_create_on(&session, &fake_device, model, &options, NULL);
		if (status == VRS_OK)
			status = vrs_session_clone(&clone, session, NULL);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_session_destroy(clone);
		vrs_session_destroy(session);
		assert_int_equal(vrs_mem_stats().live_bytes, live);
	}
	vrs_model_destroy(model);
}

static void backends_are_found_by_name(void **state)
{
	static const char *const names[] = {"cpu", "ref", "null"};
	const struct vrs_backend *backend = NULL;
	struct vrs_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_int_equal(vrs_backend_find(&backend, names[i], &err), VRS_OK);
		assert_string_equal(backend->name, names[i]);
	}
	assert_int_equal(vrs_backend_find(&backend, "auto", &err), VRS_OK);
	assert_ptr_equal(backend, &vrs_backend_cpu);
	backend = NULL;
	assert_int_equal(vrs_backend_find(&backend, NULL, &err), VRS_OK);
	assert_ptr_equal(backend, &vrs_backend_cpu);
	assert_int_equal(vrs_backend_find(&backend, "CPU", &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "there is no backend \"CPU\" in this build; use auto, cpu, "));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_non_null(strstr(err.text, names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_is_its_parts), cmocka_unit_test(runs_are_queued), cmocka_unit_test(failures_end_with_a_wait),
		cmocka_unit_test(parts_fail), cmocka_unit_test(carry_is_the_same_everywhere), cmocka_unit_test(carry_through_host_fails),
		cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(types_have_to_agree), cmocka_unit_test(device_stays),
		cmocka_unit_test(host_has_no_device_times),
		cmocka_unit_test(options_out_of_range), cmocka_unit_test(out_of_memory), cmocka_unit_test(backends_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
