// SPDX-License-Identifier: MIT
// How many IOs came, of which kind?
import { scaleLinear } from "d3-scale";
import { fold, NAMES, opsOf, sum } from "../data.js";
import { bytes, count, short, shortTime } from "../format.js";
import { columnAt } from "../heat.js";
import { linkTime } from "../over_time.js";
import { momentOf, view } from "../time_view.js";
import { stackSteps, steps } from "./steps.js";

export function load(frame) {
	const { trace } = frame, ops = opsOf(trace.load), colors = ops.map((op) => `var(--${op})`);
	const legend = ops.map((op) => ({ name: NAMES[op], color: `var(--${op})` }));
	const peakName = `busiest ${shortTime(trace.bin_ns)}`;
	frame.legend([...legend, { name: peakName, color: "var(--peak)" }]);
	const unit = frame.choose("unit", { ios: "IO/s", bytes: "bytes/s" });
	frame.area(110);
	const columns = fold(view, trace, frame.inner, 2);
	const rates = ops.map((op) => columns.map((c) => rate(sum(trace.load[op][unit], c.first, c.end), c, trace)));
	const peaks = columns.map((c) => {
		let most = 0;
		for (let bin = c.first; bin < c.end; bin++) most = Math.max(most, sum(ops.map((op) => trace.load[op][unit][bin])));
		return (most * 1e9) / trace.bin_ns;
	});
	const y = scaleLinear([0, Math.max(1, ...peaks)], [frame.height, 0]).nice();
	const format = unit === "ios" ? (n) => `${short(n)}/s` : (n) => `${bytes(n)}/s`;
	frame.axisY(y, format);
	const x = frame.axisTime();
	steps(frame, x, y, columns, peaks, { class: "peak" }, true);
	stackSteps(frame, x, y, columns, rates, colors);
	linkTime(frame, x, (ns) => {
		const at = columnAt(columns, ns);
		if (at < 0) return null;
		const rows = ops.map((op, i) => [NAMES[op], unit === "ios" ? `${count(rates[i][at])}/s` : `${bytes(rates[i][at])}/s`]);
		const peak = unit === "ios" ? `${count(peaks[at])}/s` : `${bytes(peaks[at])}/s`;
		return { title: momentOf(trace, columns[at].from), rows: [...rows, [peakName, peak]] };
	});
}

function rate(amount, column, trace) {
	const bins = column.end - column.first;
	return bins > 0 ? (amount * 1e9) / (bins * trace.bin_ns) : 0;
}
