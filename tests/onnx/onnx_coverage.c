/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is every operator of the ONNX importer met by some case?   onnx_coverage [--skip FILE] FOLDER...
 *
 * FOLDERs hold cases (case_file.h); a --skip counts for the folders behind it, and cases that it lists in all forms do not count.  Each row of the
 * importer's tables needs a case whose opset it reads, and each operator that segmentation, matting, depth, enhancement, detection and pose networks
 * use needs a row.  Prints what has none.  Exit code 77: a folder is not there.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <onnx/onnx.pb-c.h>

#include "base/file.h"
#include "graph/onnx_build.h"
#include "onnx/skip_list.h"

#define SKIPPED 77
#define MAX_ROWS 512
#define MAX_FILE ((size_t)64 << 20)
#define ALL_FORMS ((1u << FORM_COUNT) - 1)

static const char *const wanted[] = {
	"Abs", "Add", "ArgMax", "AveragePool", "BatchNormalization", "Cast", "Clip", "Concat", "Constant", "ConstantOfShape", "Conv", "ConvTranspose",
	"DepthToSpace", "DequantizeLinear", "Div", "Dropout", "Elu", "Equal", "Erf", "Exp", "Expand", "Flatten", "Floor", "Gather", "Gelu", "Gemm",
	"GlobalAveragePool", "GlobalMaxPool", "Greater", "GreaterOrEqual", "HardSigmoid", "HardSwish", "Identity", "InstanceNormalization",
	"LayerNormalization", "LeakyRelu", "Less", "LessOrEqual", "Log", "MatMul", "Max", "MaxPool", "Min", "Mish", "Mul", "Neg", "PRelu", "Pad", "Pow",
	"QLinearConv", "QuantizeLinear", "Range", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Resize", "Shape", "Sigmoid",
	"Slice", "Softmax", "Softplus", "SpaceToDepth", "Split", "Sqrt", "Squeeze", "Sub", "Tanh", "Tile", "Transpose", "Unsqueeze", "Upsample", "Where",
};

struct coverage {
	struct { const struct vrs_onnx_op *op; int cases; } rows[MAX_ROWS];
	int count;
	struct skip_list skip;
};

static void list_rows(struct coverage *coverage)
{
	for (const struct vrs_onnx_op *const *table = vrs_onnx_op_tables; *table != NULL; table++)
		for (const struct vrs_onnx_op *op = *table; op->type != NULL && coverage->count < MAX_ROWS; op++)
			coverage->rows[coverage->count++].op = op;
}

/* Files of older opsets are read as opset 7 (case_model.c). */
static int64_t opset_of(const Onnx__ModelProto *model)
{
	int64_t opset = 0;

	for (size_t i = 0; i < model->n_opset_import; i++)
		if (model->opset_import[i]->domain == NULL || model->opset_import[i]->domain[0] == '\0')
			opset = model->opset_import[i]->version;
	return opset < 7 ? 7 : opset;
}

static bool count_case(struct coverage *coverage, const char *path)
{
	struct vrs_buf file;
	Onnx__ModelProto *model;

	if (vrs_file_read(path, MAX_FILE, &file, NULL) != VRS_OK)
		return false;
	model = onnx__model_proto__unpack(NULL, file.len, (const uint8_t *)vrs_buf_str(&file));
	vrs_buf_fini(&file);
	if (model == NULL)
		return false;
	for (size_t i = 0; model->graph != NULL && i < model->graph->n_node; i++)
		for (int k = 0; k < coverage->count; k++) {
			const struct vrs_onnx_op *op = coverage->rows[k].op;
			int64_t opset = opset_of(model);

			coverage->rows[k].cases += strcmp(op->type, model->graph->node[i]->op_type) == 0 && opset >= op->min_opset && opset <= op->max_opset;
		}
	onnx__model_proto__free_unpacked(model, NULL);
	return true;
}

static bool count_folder(struct coverage *coverage, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[1300];

	if (dir == NULL)
		return false;
	while ((entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof path, "%s/%s/model.onnx", folder, entry->d_name);
		if (vrs_path_exists(path) && skip_list_forms(&coverage->skip, entry->d_name) != ALL_FORMS && !count_case(coverage, path))
			printf("FAILED: cannot read %s\n", path);
	}
	closedir(dir);
	return true;
}

static int judge(const struct coverage *coverage)
{
	int lacking = 0;

	for (int i = 0; i < coverage->count; i++)
		if (coverage->rows[i].cases == 0 && ++lacking > 0)
			printf("FAILED: %s, opset %d to %d, is in no case\n", coverage->rows[i].op->type, coverage->rows[i].op->min_opset,
			       coverage->rows[i].op->max_opset);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		bool found = false;

		for (int k = 0; k < coverage->count && !found; k++)
			found = strcmp(coverage->rows[k].op->type, wanted[i]) == 0;
		lacking += !found;
		if (!found)
			printf("FAILED: %s is not supported\n", wanted[i]);
	}
	printf("%d rows of operators, %d of them or of the wanted operators without a case\n", coverage->count, lacking);
	return lacking == 0 && coverage->count > 0 && coverage->count < MAX_ROWS ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct coverage coverage;
	struct vrs_error err = {0};
	int code;

	list_rows(&coverage);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--skip") == 0 && i + 1 < argc) {
			skip_list_fini(&coverage.skip);
			if (skip_list_read(&coverage.skip, argv[++i], &err) != VRS_OK) {
				fprintf(stderr, "%s\n", err.text);
				return 2;
			}
		} else if (!count_folder(&coverage, argv[i])) {
			printf("skipped: there is no folder %s\n", argv[i]);
			return SKIPPED;
		}
	}
	code = judge(&coverage);
	skip_list_fini(&coverage.skip);
	return code;
}
