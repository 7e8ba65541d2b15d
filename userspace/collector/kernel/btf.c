// SPDX-License-Identifier: MIT
#include "collector/kernel/btf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

const struct btf *kernel_btf(void)
{
	static struct btf *btf;
	static int failed;

	if (!btf && !failed) {
		btf = btf__load_vmlinux_btf();
		if (!btf)
			failed = errno ? errno : ENOENT;
	}
	if (!btf)
		errno = failed;
	return btf;
}

/* btf_trace_NAME is a pointer to the prototype of the tracepoint's probe. */
static const struct btf_type *tracepoint_prototype(const char *tracepoint)
{
	const struct btf *btf = kernel_btf();
	const struct btf_type *type;
	char name[128];
	int id;

	if (!btf)
		return NULL;
	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type);
	if (!type || !btf_is_ptr(type))
		return NULL;
	type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

int kernel_btf_tracepoint_arguments(const char *tracepoint)
{
	const struct btf_type *prototype = tracepoint_prototype(tracepoint);

	/* The first parameter is the probe's own data. */
	return prototype && btf_vlen(prototype) ? btf_vlen(prototype) - 1 : -ENOENT;
}

bool kernel_btf_has_tracepoint(const char *tracepoint)
{
	return tracepoint_prototype(tracepoint) != NULL;
}

const char *kernel_btf_argument_type(const char *tracepoint, unsigned int argument)
{
	const struct btf_type *prototype = tracepoint_prototype(tracepoint), *type;

	if (!prototype || argument + 1 >= btf_vlen(prototype))
		return "";
	type = btf__type_by_id(kernel_btf(), btf_params(prototype)[argument + 1].type);
	return type ? btf__name_by_offset(kernel_btf(), type->name_off) : "";
}

static int enumerator_value(const struct btf_type *type, const char *enumerator)
{
	const struct btf_enum *values = btf_enum(type);

	for (int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(kernel_btf(), values[i].name_off), enumerator))
			return values[i].val;
	return -ENOENT;
}

static int unnamed_enum_value(const char *enumerator)
{
	const struct btf *btf = kernel_btf();
	int value = -ENOENT;

	for (__u32 id = 1; value < 0 && id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_enum(type) && !type->name_off)
			value = enumerator_value(type, enumerator);
	}
	return value;
}

static int named_enum_value(const char *name, const char *enumerator)
{
	int id = btf__find_by_name_kind(kernel_btf(), name, BTF_KIND_ENUM);

	return id < 0 ? id : enumerator_value(btf__type_by_id(kernel_btf(), (__u32)id), enumerator);
}

int kernel_btf_enum_value(const char *const *enums, const char *enumerator)
{
	int value = -ENOENT;

	for (; kernel_btf() && *enums && value < 0; enums++)
		value = **enums ? named_enum_value(*enums, enumerator)
				: unnamed_enum_value(enumerator);
	return value;
}

/* The enum has no name in 6.12 and the name rqf_flags in 6.18. */
unsigned int kernel_btf_request_flag(const char *flag, int bit)
{
	static const char *const enums[] = {"rqf_flags", "", NULL};
	int found = kernel_btf_enum_value(enums, flag);

	return 1u << (found < 0 ? bit : found);
}

bool kernel_btf_has_function(const char *function)
{
	const struct btf *btf = kernel_btf();

	return btf && btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) > 0;
}

bool kernel_btf_has_variable(const char *variable)
{
	const struct btf *btf = kernel_btf();

	return btf && btf__find_by_name_kind(btf, variable, BTF_KIND_VAR) > 0;
}

bool kernel_btf_has_structure(const char *structure)
{
	const struct btf *btf = kernel_btf();

	return btf && btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT) > 0;
}

bool kernel_btf_has_member(const char *structure, const char *member)
{
	const struct btf *btf = kernel_btf();
	const struct btf_type *type;
	int id;

	id = btf ? btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT) : -ENOENT;
	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (__u32)id);
	for (int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), member))
			return true;
	return false;
}
