// SPDX-License-Identifier: MIT
// Did each trace get the same load? The first is filled, the others are lines.
import { scaleLinear } from "d3-scale";
import { fold, letter, OPS, sum, traces } from "../data.js";
import { bytes, count, moment, short } from "../format.js";
import { columnAt } from "../heat.js";
import { linkTime } from "../over_time.js";
import { view, BIN } from "../time_view.js";
import { steps } from "./steps.js";

export function loads(frame) {
	frame.legend(traces.map((_, i) => ({ name: letter(i), color: `var(--trace-${i})`, kind: i ? "line" : "box" })));
	const unit = frame.choose("unit", { ios: "IO/s", bytes: "bytes/s" });
	frame.area(110);
	const format = unit === "ios" ? (n) => `${short(n)}/s` : (n) => `${bytes(n)}/s`;
	const all = traces.map((trace) => {
		const columns = fold(view, trace, frame.inner, 3);
		const rates = columns.map((c) => (sum(OPS.map((op) => (trace.load[op] ? sum(trace.load[op][unit], c.first, c.end) : 0))) * 1e9) / Math.max(1, (c.end - c.first) * trace.bin_ns));
		return { columns, rates };
	});
	const y = scaleLinear([0, Math.max(1, ...all.flatMap((t) => t.rates))], [frame.height, 0]).nice();
	frame.axisY(y, format);
	const x = frame.axisTime();
	all.forEach(({ columns, rates }, i) => steps(frame, x, y, columns, rates, i ? { class: "rate", stroke: `var(--trace-${i})` } : { class: "base" }, !i));
	linkTime(frame, x, (ns) => {
		const rows = all.map(({ columns, rates }, i) => [letter(i), rates[columnAt(columns, ns)]]).filter(([, rate]) => rate !== undefined);
		return rows.length ? { title: moment(ns, BIN), rows: rows.map(([name, rate]) => [name, unit === "ios" ? `${count(rate)}/s` : `${bytes(rate)}/s`]) } : null;
	});
}
