/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of matrices as numpy.matmul has them. */
#include "graph/eval_rows.h"
#include "opencl/ocl_element.h"
#include "opencl/ocl_lower.h"

enum {
	CPU_ROWS = 4,    /* of a work-item of a CPU device */
	CPU_COLUMNS = 8,
};

/* y[m][n] = sum over k of a[m][k] * b[k][n], for each of `matrices`: steps in elements, and the leading dims with their steps in a and b. */
struct product {
	int64_t m, n, k, a_row, a_column, b_row, b_column, matrices;
	struct vrs_ocl_dims lead;
};

/* Vectors are a row on the left and a column on the right. */
static void find_matrices(struct product *p, const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b, bool turn_a, bool turn_b)
{
	int64_t rows = a->rank > 1 ? a->dims[a->rank - 2] : 1, columns = a->dims[a->rank - 1];

	p->m = turn_a ? columns : rows;
	p->k = turn_a ? rows : columns;
	p->a_row = turn_a ? 1 : columns;
	p->a_column = turn_a ? columns : 1;
	columns = b->rank > 1 ? b->dims[b->rank - 1] : 1;
	rows = b->dims[b->rank > 1 ? b->rank - 2 : 0];
	p->n = turn_b ? rows : columns;
	p->b_row = turn_b ? 1 : columns;
	p->b_column = turn_b ? columns : 1;
}

/* Matrices of a that follow each other and meet one matrix of b are one with more rows. */
static void find_lead(struct product *p, const struct vrs_graph_tensor *a, const struct vrs_graph_tensor *b, const struct vrs_graph_tensor *y)
{
	int lead_a = a->rank > 1 ? a->rank - 2 : 0, lead_b = b->rank > 1 ? b->rank - 2 : 0, lead = lead_a > lead_b ? lead_a : lead_b;
	int64_t steps[VRS_MAX_RANK][2] = {{0}}, step = p->m * p->k;

	for (int i = lead_a - 1; i >= 0; i--) {
		steps[lead - lead_a + i][0] = a->dims[i] == 1 ? 0 : step;
		step *= a->dims[i];
	}
	step = p->k * p->n;
	for (int i = lead_b - 1; i >= 0; i--) {
		steps[lead - lead_b + i][1] = b->dims[i] == 1 ? 0 : step;
		step *= b->dims[i];
	}
	vrs_ocl_dims_init(&p->lead, 2);
	for (int i = 0; i < lead; i++)
		vrs_ocl_dims_add(&p->lead, y->dims[i], steps[i]);
	int last = p->lead.count - 1;

	if (last >= 0 && p->lead.step[1][last] == 0 && p->a_column == 1 && p->lead.step[0][last] == p->m * p->k) {
		p->m *= p->lead.size[last];
		p->lead.count--;
	}
	p->matrices = 1;
	for (int i = 0; i < p->lead.count; i++)
		p->matrices *= p->lead.size[i];
}

/* The tile of a group: its work-items and the results of each. */
struct tile {
	int width, height, columns, rows, depth;
};

static struct tile tile_of(const struct vrs_ocl_plan *plan, const struct product *p)
{
	int group = vrs_ocl_group_size(plan, 256);

	if (group < 256 || p->m < 16 || p->n < 16)
		return p->n < 8 ? (struct tile){1, group < 64 ? group : 64, 1, 1, 8} : p->m < 8 ? (struct tile){group < 64 ? group : 64, 1, 1, 1, 16}
				: group >= 64 ? (struct tile){8, 8, 2, 2, 8} : (struct tile){1, 1, 4, 4, 4};
	if (p->m >= 48 && p->n >= 48 && (p->m + 63) / 64 * ((p->n + 63) / 64) * p->matrices >= plan->caps.compute_units)
		return (struct tile){16, 16, 4, 4, 16};
	return (struct tile){16, 16, 2, 2, 16};
}

static void arg_product(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct product *p)
{
	vrs_ocl_arg_tensor(plan, "a", node->in[0]);
	vrs_ocl_arg_tensor(plan, "b", node->in[1]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_dims(plan, "lead", &p->lead);
	vrs_ocl_arg_int(plan, p->m);
	vrs_ocl_arg_int(plan, p->n);
	vrs_ocl_arg_int(plan, p->k);
	vrs_ocl_arg_int(plan, p->a_row);
	vrs_ocl_arg_int(plan, p->a_column);
	vrs_ocl_arg_int(plan, p->b_row);
	vrs_ocl_arg_int(plan, p->b_column);
}

static enum vrs_status lower_rows(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct product *p, struct vrs_error *err)
{
	int64_t rows = (p->m + CPU_ROWS - 1) / CPU_ROWS, columns = (p->n + CPU_COLUMNS - 1) / CPU_COLUMNS;

	vrs_ocl_step_begin(plan, node, "matmul_rows");
	arg_product(plan, node, p);
	vrs_ocl_arg_int(plan, p->matrices);
	vrs_ocl_define_int(plan, "B_DENSE", p->b_column == 1);
	vrs_ocl_define_int(plan, "ROWS", CPU_ROWS);
	return vrs_ocl_step_end_line(plan, p->matrices * rows * columns, err);
}

static enum vrs_status lower_tiles(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct product *p, struct vrs_error *err)
{
	struct tile tile = tile_of(plan, p);
	size_t local[3] = {(size_t)tile.width, (size_t)tile.height, 1};
	int64_t across = (p->n + tile.width * tile.columns - 1) / (tile.width * tile.columns);
	int64_t down = (p->m + tile.height * tile.rows - 1) / (tile.height * tile.rows);
	size_t global[3] = {(size_t)(across * tile.width), (size_t)(down * tile.height), (size_t)p->matrices};

	if (down > VRS_OCL_MOST_GROUPS || p->matrices > VRS_OCL_MOST_GROUPS)
		return VRS_EUNSUPPORTED;
	vrs_ocl_step_begin(plan, node, "matmul");
	arg_product(plan, node, p);
	vrs_ocl_define_int(plan, "WIDTH", tile.width);
	vrs_ocl_define_int(plan, "HEIGHT", tile.height);
	vrs_ocl_define_int(plan, "COLUMNS", tile.columns);
	vrs_ocl_define_int(plan, "ROWS", tile.rows);
	vrs_ocl_define_int(plan, "DEPTH", tile.depth);
	vrs_ocl_define_int(plan, "A_ALONG_K", p->a_column == 1);
	vrs_ocl_define_int(plan, "B_ALONG_K", p->b_column != 1);
	return vrs_ocl_step_end(plan, 3, global, local, err);
}

enum vrs_status vrs_ocl_lower_matmul(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *a = &plan->graph.tensors[node->in[0]], *b = &plan->graph.tensors[node->in[1]];
	const struct vrs_graph_tensor *y = &plan->graph.tensors[node->out];
	struct product p = {0};

	if (vrs_tensor_elements(y) == 0)
		return VRS_OK;
	find_matrices(&p, a, b, node->u.matmul.transpose_a && a->rank > 1, node->u.matmul.transpose_b && b->rank > 1);
	find_lead(&p, a, b, y);
	return plan->caps.is_cpu ? lower_rows(plan, node, &p, err) : lower_tiles(plan, node, &p, err);
}
