/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/secrets.h"
#include "base/str_parse.h"
#include "segments/segment_json.h"
#include "video/encoder_threads.h"

#define SCHEMA "vrseg-checkpoint/6"
#define CONTENT "content of " /* before the key of an option: the hash of the file that it names */
#define MAX_FRAMES (INT64_C(1) << 40)
#define MAX_TIME (INT64_C(1) << 60)

static const struct vrs_json_field plan_fields[] = {
#define PLAN(member, min, max) VRS_JSON_FIELD(struct vrs_segment_plan, member, min, max)
	PLAN(time_base_num, 1, INT32_MAX), PLAN(time_base_den, 1, INT32_MAX), PLAN(fps_num, 1, INT32_MAX), PLAN(fps_den, 1, INT32_MAX),
	PLAN(frames, 1, MAX_FRAMES), PLAN(max_frames, 0, MAX_FRAMES), PLAN(segment_frames, 1, INT32_MAX), PLAN(every_nth, 1, INT32_MAX),
	PLAN(preroll_frames, 0, 100000), PLAN(tail_frames, 0, 100000), PLAN(segments, 1, VRS_MAX_SEGMENTS), PLAN(keeps_past, 0, 1),
	{.key = NULL},
};

static const struct vrs_json_field record_fields[] = {
#define RECORD(member, min, max) VRS_JSON_FIELD(struct vrs_segment_record, member, min, max)
	RECORD(frames, 0, MAX_FRAMES), RECORD(first_pts, -MAX_TIME, MAX_TIME), RECORD(end_pts, -MAX_TIME, MAX_TIME), RECORD(bytes, 0, INT64_MAX),
	RECORD(hash, 0, INT64_MAX), RECORD(past_bytes, 0, INT64_MAX), RECORD(past_hash, 0, INT64_MAX),
	{.key = NULL},
};

static const struct vrs_json_field identity_fields[] = {
#define IDENTITY(member, min) VRS_JSON_FIELD(struct vrs_input_identity, member, min, INT64_MAX)
	IDENTITY(size, 0), IDENTITY(mtime_ns, INT64_MIN), IDENTITY(ctime_ns, INT64_MIN), IDENTITY(device, INT64_MIN), IDENTITY(inode, INT64_MIN),
	{.key = NULL},
};

static const struct vrs_json_field encoder_fields[] = {
	VRS_JSON_FIELD(struct vrs_checkpoint, encoder_threads, 0, VRS_MOST_ENCODER_THREADS),
	{.key = NULL},
};

enum vrs_status vrs_checkpoint_init(struct vrs_checkpoint *ckpt, const struct vrs_input_identity *input, const struct vrs_segment_plan *plan)
{
	*ckpt = (struct vrs_checkpoint){.input = *input, .plan = *plan, .options = cJSON_CreateObject(),
		.segments = vrs_calloc((size_t)plan->segments, sizeof *ckpt->segments)};
	if (ckpt->options && ckpt->segments)
		return VRS_OK;
	vrs_checkpoint_fini(ckpt);
	return VRS_ENOMEM;
}

void vrs_checkpoint_fini(struct vrs_checkpoint *ckpt)
{
	cJSON_Delete(ckpt->options);
	vrs_free(ckpt->segments);
	vrs_free(ckpt->sums);
	*ckpt = (struct vrs_checkpoint){0};
}

bool vrs_checkpoint_option(struct vrs_checkpoint *ckpt, const char *key, const char *value)
{
	char shown[2 * VRS_PATH_MAX]; /* another password makes no other picture, and the next user of the machine may read this */
	return vrs_json_put_string(ckpt->options, key, vrs_hide_secrets(shown, sizeof shown, value));
}

bool vrs_checkpoint_file(struct vrs_checkpoint *ckpt, const char *key, const char *hash)
{
	char name[sizeof CONTENT + 64];
	VRS_ASSERT(strlen(key) < 64);
	snprintf(name, sizeof name, CONTENT "%s", key);
	return vrs_checkpoint_option(ckpt, name, hash);
}

bool vrs_checkpoint_compare(struct vrs_checkpoint *ckpt)
{
	if (!ckpt->sums)
		ckpt->sums = vrs_calloc((size_t)ckpt->plan.segments, sizeof *ckpt->sums);
	return ckpt->sums != NULL;
}

static bool put_identity(cJSON *root, const char *key, const struct vrs_input_identity *identity)
{
	cJSON *object = vrs_json_put_object(root, key);
	return vrs_json_fields_put(object, identity_fields, identity) && vrs_json_put_hash(object, "content", identity->content) &&
	       vrs_json_put_hash(object, "sample", identity->sample);
}

static bool put_segments(cJSON *root, const struct vrs_checkpoint *ckpt)
{
	cJSON *array = vrs_json_put_array(root, "done");
	bool good = array != NULL;
	for (int i = 0; good && i < ckpt->plan.segments; i++) {
		const struct vrs_segment_record *segment = &ckpt->segments[i];
		if (!segment->done)
			continue;
		cJSON *item = cJSON_CreateObject();
		good = item && cJSON_AddItemToArray(array, item) && vrs_json_put_int(item, "segment", i) &&
		       vrs_json_fields_put(item, record_fields, segment) &&
		       (!segment->kernels[0] || vrs_json_put_string(item, "kernels", segment->kernels)) &&
		       (!ckpt->sums || vrs_json_truth_put(item, "truth", &ckpt->sums[i]));
	}
	return good;
}

enum vrs_status vrs_checkpoint_write(const struct vrs_checkpoint *ckpt, const char *path, struct vrs_error *err)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *options = root ? cJSON_Duplicate(ckpt->options, true) : NULL;
	bool good = options && vrs_json_put_string(root, "schema", SCHEMA) && put_identity(root, "input", &ckpt->input) &&
		    vrs_json_fields_put(vrs_json_put_object(root, "plan"), plan_fields, &ckpt->plan) &&
		    vrs_json_fields_put(vrs_json_put_object(root, "encoder"), encoder_fields, ckpt) && put_segments(root, ckpt) &&
		    (ckpt->saved.size == 0 || put_identity(root, "saved", &ckpt->saved)) &&
		    (ckpt->truth.content == 0 || put_identity(root, "truth", &ckpt->truth));
	if (options && !cJSON_AddItemToObject(root, "options", options)) {
		cJSON_Delete(options);
		good = false;
	}
	char *text = good ? vrs_json_print(root, true) : NULL;
	enum vrs_status status = text ? vrs_file_replace(path, text, strlen(text), err)
				      : vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint %s", path);
	vrs_json_free_text(text);
	cJSON_Delete(root);
	return status;
}

static bool take_hash(const cJSON *object, const char *key, uint64_t *ret)
{
	const char *hex = vrs_json_string(object, key);
	return hex && vrs_parse_hash(hex, ret);
}

static bool take_identity(const cJSON *object, struct vrs_input_identity *ret)
{
	return take_hash(object, "content", &ret->content) && take_hash(object, "sample", &ret->sample) &&
	       vrs_json_fields_take(object, identity_fields, ret);
}

static bool take_segment(const cJSON *item, struct vrs_checkpoint *ckpt)
{
	struct vrs_segment_record segment = {.done = true};
	int64_t number;
	const char *kernels = vrs_json_string(item, "kernels");
	if (!vrs_json_int(item, "segment", &number) || number < 0 || number >= ckpt->plan.segments || ckpt->segments[number].done ||
	    !vrs_json_fields_take(item, record_fields, &segment))
		return false;
	if (kernels && !vrs_strcpy(segment.kernels, sizeof segment.kernels, kernels))
		return false;
	ckpt->segments[number] = segment;
	return !ckpt->sums || segment.frames == 0 || vrs_json_truth_take(item, "truth", &ckpt->sums[number]) ||
	       !cJSON_HasObjectItem(item, "truth");
}

/* What a comparison with a truth has left. */
static bool take_truth(const cJSON *root, struct vrs_checkpoint *ckpt)
{
	const cJSON *truth = cJSON_GetObjectItemCaseSensitive(root, "truth");
	return !truth || (take_identity(truth, &ckpt->truth) && vrs_checkpoint_compare(ckpt));
}

static bool take_options(const cJSON *object, struct vrs_checkpoint *ckpt)
{
	int count = 0;
	/* as they were written: hiding what was hidden once can give another text */
	for (const cJSON *item = object ? object->child : NULL; item; item = item->next)
		if (!cJSON_IsString(item) || !item->string || ++count > VRS_CHECKPOINT_MAX_OPTIONS ||
		    vrs_json_string(ckpt->options, item->string) ||
		    !vrs_json_put_string(ckpt->options, item->string, item->valuestring))
			return false;
	return cJSON_IsObject(object);
}

/* Everything that must be there, in range; the caller cleans up. */
static bool take_all(const cJSON *root, struct vrs_checkpoint *ckpt)
{
	struct vrs_input_identity input;
	struct vrs_segment_plan plan;
	const char *schema = vrs_json_string(root, "schema");
	if (!schema || strcmp(schema, SCHEMA) != 0 || !take_identity(cJSON_GetObjectItemCaseSensitive(root, "input"), &input) ||
	    !vrs_json_fields_take(cJSON_GetObjectItemCaseSensitive(root, "plan"), plan_fields, &plan) || vrs_checkpoint_init(ckpt, &input, &plan))
		return false;
	const cJSON *done = cJSON_GetObjectItemCaseSensitive(root, "done"), *saved = cJSON_GetObjectItemCaseSensitive(root, "saved"), *item;
	const cJSON *encoder = cJSON_GetObjectItemCaseSensitive(root, "encoder");
	bool good = cJSON_IsArray(done) && (!encoder || vrs_json_fields_take(encoder, encoder_fields, ckpt)) &&
		    (!saved || take_identity(saved, &ckpt->saved)) && take_truth(root, ckpt) &&
		    take_options(cJSON_GetObjectItemCaseSensitive(root, "options"), ckpt);
	if (good)
		cJSON_ArrayForEach(item, done)
			good = good && take_segment(item, ckpt);
	return good;
}

enum vrs_status vrs_checkpoint_parse(struct vrs_checkpoint *ret_ckpt, const char *text, size_t size, const char *name, struct vrs_error *err)
{
	struct vrs_checkpoint ckpt = {0};
	cJSON *root;
	enum vrs_status status = vrs_json_parse(text, size, VRS_CHECKPOINT_MAX_BYTES, name, &root, err);
	if (status != VRS_OK)
		return status;
	if (!take_all(root, &ckpt)) {
		vrs_checkpoint_fini(&ckpt);
		status = vrs_fail(err, VRS_EFORMAT, "%s is not a checkpoint that this version understands", name);
	}
	cJSON_Delete(root);
	if (status == VRS_OK)
		*ret_ckpt = ckpt;
	return status;
}

enum vrs_status vrs_checkpoint_read(struct vrs_checkpoint *ret_ckpt, const char *path, struct vrs_error *err)
{
	struct vrs_buf text;
	enum vrs_status status = vrs_file_read(path, VRS_CHECKPOINT_MAX_BYTES, &text, err);
	if (status == VRS_OK)
		status = vrs_checkpoint_parse(ret_ckpt, vrs_buf_str(&text), text.len, path, err);
	vrs_buf_fini(&text);
	return status;
}

/* One option of both sides: NULL where a side does not have it. */
static void tell_difference(const char *key, const char *was, const char *is, char *ret_reason, size_t size)
{
	if (strncmp(key, CONTENT, sizeof CONTENT - 1) == 0)
		snprintf(ret_reason, size, "the content behind %s has changed", key + sizeof CONTENT - 1);
	else if (!is)
		snprintf(ret_reason, size, "%s is not known any more", key);
	else
		snprintf(ret_reason, size, "%s was %s and is %s", key, was ? was[0] ? was : "empty" : "not known", is[0] ? is : "empty");
}

/* The first option whose value differs, or that only one side has. */
static bool same_options(const cJSON *old, const cJSON *now, char *ret_reason, size_t size)
{
	for (const cJSON *item = now->child; item; item = item->next) {
		const char *was = vrs_json_string(old, item->string);
		if (!was || strcmp(was, item->valuestring) != 0) {
			tell_difference(item->string, was, item->valuestring, ret_reason, size);
			return false;
		}
	}
	for (const cJSON *item = old->child; item; item = item->next) {
		if (!vrs_json_string(now, item->string)) {
			tell_difference(item->string, item->valuestring, NULL, ret_reason, size);
			return false;
		}
	}
	return true;
}

bool vrs_checkpoint_matches(const struct vrs_checkpoint *old, const struct vrs_checkpoint *now, char *ret_reason, size_t size)
{
	if (!vrs_input_identity_same(&old->input, &now->input)) {
		snprintf(ret_reason, size, "the input has changed");
		return false;
	}
	if (!same_options(old->options, now->options, ret_reason, size))
		return false;
	if (!vrs_segment_plan_same(&old->plan, &now->plan)) {
		snprintf(ret_reason, size, "it was cut into other segments");
		return false;
	}
	return true;
}

int vrs_checkpoint_first_open(const struct vrs_checkpoint *ckpt)
{
	int number = 0;
	while (number < ckpt->plan.segments && ckpt->segments[number].done)
		number++;
	return number;
}

int vrs_checkpoint_open_segments(const struct vrs_checkpoint *ckpt)
{
	int count = 0;
	for (int i = 0; i < ckpt->plan.segments; i++)
		count += !ckpt->segments[i].done;
	return count;
}

int64_t vrs_checkpoint_frames(const struct vrs_checkpoint *ckpt)
{
	int64_t frames = 0;
	for (int i = 0; i < ckpt->plan.segments; i++)
		frames += ckpt->segments[i].done ? ckpt->segments[i].frames : 0;
	return frames;
}
