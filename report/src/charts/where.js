// SPDX-License-Identifier: MIT
// Where the time of an IO goes: before the driver, or in the device; and whose memory it was.
import { NAMES, OPS } from "../data.js";
import { time } from "../format.js";
import { barRows } from "./bars.js";

const ORIGINS = { file: "file pages", blockdev: "metadata, raw blocks", direct: "O_DIRECT", swap: "swap", none: "without data", unknown: "unknown" };
// The flushes of the kernel and the requests for them.
const LATENCIES = { read: ["read"], write: ["write"], discard: ["discard"], flush: ["flush", "flush_request"] };
const STRENGTH = ["", "-2", "-3", "-4"];

const latencyOf = (devices, op, origin) => devices.reduce((sum, device) => sum + device.origin[op][origin].latency_ns, 0);

export function where(frame) {
	const { devices, devices_chosen } = frame.trace.explain, rows = [];
	// What is the work of an IO of a device above passed while that IO was under way.
	const linked = devices_chosen ? [] : devices.flatMap((device) => device.linked ?? []);
	for (const op of OPS) {
		const sums = { queue: 0, device: 0, total: 0, count: 0 };
		for (const device of devices)
			for (const latency of LATENCIES[op].map((key) => device.latency_by_op_ns[key])) {
				if (!latency) continue;
				for (const part of ["queue", "device", "total"]) sums[part] += (latency[part]?.mean ?? 0) * (latency[part]?.count ?? 0);
				sums.count += latency.total?.count ?? 0;
			}
		for (const { latency } of linked) {
			for (const part of ["queue", "device", "total"]) sums[part] -= latency[op][`${part}_ns`];
			sums.count -= latency[op].ios;
		}
		if (!sums.count) continue;
		const rest = Math.max(0, sums.total - sums.queue - sums.device);
		rows.push({
			name: NAMES[op],
			value: `${time(sums.total / sums.count)} mean`,
			parts: [
				{ name: "in the queue", size: sums.queue / sums.count, color: `var(--${op})`, pale: true },
				{ name: "in the device", size: sums.device / sums.count, color: `var(--${op})` },
				{ name: "neither, or not known", size: rest > sums.total / 1000 ? rest / sums.count : 0, color: "var(--others)" },
			],
		});
	}
	for (const op of ["read", "write"]) {
		const parts = Object.entries(ORIGINS).map(([origin, name]) => ({ name, size: latencyOf(devices, op, origin) - latencyOf(linked, op, origin) }));
		const some = parts.filter((p) => p.size).sort((a, b) => b.size - a.size);
		some.forEach((p, i) => (p.color = `var(--${op}${STRENGTH[Math.min(i, 3)]})`));
		if (some.length) rows.push({ name: `${NAMES[op]} by origin: ${some[0].name}${some.length > 1 ? ` and ${some.length - 1} more` : ""}`, value: `${time(some.reduce((s, p) => s + p.size, 0))} in sum`, parts: some });
	}
	frame.legend([{ name: "in the queue", color: "color-mix(in srgb, var(--read) 40%, var(--card))" }, { name: "in the device", color: "var(--read)" }]);
	barRows(frame, rows, time);
}
