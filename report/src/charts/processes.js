// SPDX-License-Identifier: MIT
// Who made the peaks?
import { scaleLinear } from "d3-scale";
import { series } from "../colors.js";
import { fold, sum } from "../data.js";
import { bytes, count, short, time } from "../format.js";
import { columnAt } from "../heat.js";
import { linkTime } from "../over_time.js";
import { momentOf, view } from "../time_view.js";
import { stackSteps } from "./steps.js";

const UNITS = {
	ios: { name: "IO/s", format: (n) => `${short(n)}/s`, exact: (n) => `${count(n)}/s` },
	bytes: { name: "bytes/s", format: (n) => `${bytes(n)}/s`, exact: (n) => `${bytes(n)}/s` },
	time_ns: { name: "time", format: (n) => short(n / 1e9), exact: (n) => `${time(n)} per second` },
};

function nameOf(task) {
	return task.name === null ? "others" : task.pid ? `${task.name} ${task.pid}` : task.name;
}

export function processes(frame) {
	const { trace } = frame, tasks = trace.tasks;
	const color = (task, i) => (task.name === null ? "var(--others)" : series(i));
	frame.legend(tasks.map((task, i) => ({ name: nameOf(task), color: color(task, i) })));
	const unit = frame.choose("unit", Object.fromEntries(Object.entries(UNITS).map(([key, u]) => [key, u.name])));
	frame.area(110);
	const columns = fold(view, trace, frame.inner, 2);
	const rates = tasks.map((task) => columns.map((c) => (sum(task[unit], c.first, c.end) * 1e9) / Math.max(1, (c.end - c.first) * trace.bin_ns)));
	const y = scaleLinear([0, Math.max(1e-9, ...columns.map((_, c) => sum(rates.map((r) => r[c]))))], [frame.height, 0]).nice();
	frame.axisY(y, UNITS[unit].format);
	const x = frame.axisTime();
	stackSteps(frame, x, y, columns, rates, tasks.map(color));
	linkTime(frame, x, (ns) => {
		const at = columnAt(columns, ns);
		if (at < 0) return null;
		return { title: momentOf(trace, columns[at].from), rows: tasks.map((task, i) => [nameOf(task), UNITS[unit].exact(rates[i][at])]) };
	});
}
