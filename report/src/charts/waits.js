// SPDX-License-Identifier: MIT
// Where the time of each task went: running, ready, waiting by cause, asleep outside of storage.
import { series } from "../colors.js";
import { time } from "../format.js";
import { barRows } from "./bars.js";

const TASKS = 8, COLORS = [0, 1, 3, 4, 5, 6];

export function waits(frame) {
	const { tasks, causes } = frame.trace.explain.waits, names = causes.filter((c) => c.cause !== "cpu" && c.cause !== "run_queue").sort((a, b) => b.ns - a.ns).map((c) => c.cause);
	const color = (cause) => (names.indexOf(cause) < COLORS.length ? series(COLORS[names.indexOf(cause)]) : "var(--others)");
	const words = (cause) => cause.replaceAll("_", " ");
	const rows = tasks.slice(0, TASKS).map((task) => ({
		name: `${task.comm} ${task.pid}`,
		value: time(task.wall_ns),
		parts: [
			...task.causes.filter((c) => c.cause !== "run_queue").sort((a, b) => b.ns - a.ns).map((c) => ({ name: words(c.cause), size: c.ns, color: color(c.cause) })),
			{ name: "ready, waiting for a CPU", size: task.run_queue_ns, color: "var(--readahead)" },
			{ name: "running", size: task.cpu_ns, color: "var(--hit)" },
			{ name: "asleep outside of storage", size: task.outside_ns, color: "var(--others)" },
		],
	}));
	frame.legend([...names.slice(0, COLORS.length).map((cause) => ({ name: words(cause), color: color(cause) })), { name: "ready", color: "var(--readahead)" }, { name: "running", color: "var(--hit)" }, { name: "outside, other", color: "var(--others)" }]);
	barRows(frame, rows, time);
}
