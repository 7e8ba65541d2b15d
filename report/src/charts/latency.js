// SPDX-License-Identifier: MIT
// Where do the slow IOs lie in time?
import { ticks as linearTicks } from "d3-array";
import { scaleLog } from "d3-scale";
import { cellsOf, fold, latencyOf, NAMES, opsOf, percentile, rowsOf, sum, traces } from "../data.js";
import { count, shortTime, time } from "../format.js";
import { columnAt, foldCells, paint } from "../heat.js";
import { linkTime } from "../over_time.js";
import { momentOf, view } from "../time_view.js";
import { steps } from "./steps.js";

const HEIGHT = 190, ROW = 3, COLUMN = 3;
const PERCENTILE_COLUMN = 14; // pixels: percentiles need more IOs than a cell

export function latency(frame) {
	const { trace } = frame, map = trace.latency, ios = countsOfAll(), ops = opsOf(ios);
	const choices = ops.length > 1 ? { all: "all", ...Object.fromEntries(ops.map((op) => [op, NAMES[op]])) } : { [ops[0]]: NAMES[ops[0]] };
	frame.area(HEIGHT);
	const range = common(), y = scaleLog([latencyOf(range, 0), latencyOf(range, range.rows)], [HEIGHT, 0]);
	const columns = fold(view, trace, frame.inner, COLUMN);
	const step = Math.max(1, Math.ceil((ROW * range.rows) / HEIGHT));
	const op = frame.choose("op", choices, ops.reduce((most, other) => (ios[other] > ios[most] ? other : most)));
	const cells = cellsOf(map, trace.bins)[op] ?? new Uint32Array(trace.bins * map.rows);
	const folded = foldCells(cells, map.rows, columns, step);
	const most = Math.max(folded.most, ...others(frame, op, step));

	frame.axisY(y, shortTime, ticksOf(y.domain()));
	const x = frame.axisTime();
	const top = y(latencyOf(map, folded.rows * step)), bottom = y(latencyOf(map, 0));
	const color = paint(frame, folded, x, top, bottom, op === "all" ? "all" : op, most);
	const wide = fold(view, trace, frame.inner, PERCENTILE_COLUMN);
	const lines = [0.5, 0.99].map((p) => wide.map((c) => percentile(map, rowsOf(cells, map.rows, c.first, c.end), p)));
	lines.forEach((line, i) => {
		steps(frame, x, y, wide, line, { class: i ? "p99 halo" : "p50 halo" });
		steps(frame, x, y, wide, line, { class: i ? "p99" : "p50" });
	});
	frame.ramp(color, most);
	frame.legend([{ name: "p50", color: "var(--ink)", kind: "line" }, { name: "p99", color: "var(--ink)", kind: "dashed" }]);
	frame.tools.append(...frame.tools.querySelectorAll(".switch"));
	linkTime(frame, x, (ns, py) => {
		const at = columnAt(columns, ns), row = Math.floor(Math.log2(y.invert(py) / latencyOf(map, 0)) * map.rows_per_octave / step);
		if (at < 0) return null;
		const counts = folded.counts.subarray(at * folded.rows, (at + 1) * folded.rows);
		const low = latencyOf(map, row * step), high = latencyOf(map, (row + 1) * step);
		return {
			title: `${momentOf(trace, columns[at].from)} · ${time(low)} to ${time(high)}`,
			rows: [
				["in this cell", count(counts[row] ?? 0)],
				["in this column", count(sum(counts))],
				["slower", count(sum(counts, Math.max(0, row + 1)))],
			],
		};
	});
}

let counted;

// The IOs of each operation in all traces of the page: their maps show the same one.
function countsOfAll() {
	if (counted) return counted;
	counted = {};
	for (const { latency: map, bins } of traces)
		for (const op of map ? Object.keys(map.cells) : []) counted[op] = (counted[op] ?? 0) + sum(cellsOf(map, bins)[op]);
	return counted;
}

// The rows of all traces of the page, which share one scale.
function common() {
	const maps = traces.map((t) => t.latency).filter(Boolean), first = Math.min(...maps.map((m) => m.first_row / m.rows_per_octave));
	const end = Math.max(...maps.map((m) => (m.first_row + m.rows) / m.rows_per_octave));
	const per = maps[0].rows_per_octave;
	return { first_row: first * per, rows: (end - first) * per, rows_per_octave: per };
}

// The fullest cells of the other traces: all maps of a page have one colour scale.
function others(frame, op, step) {
	return traces.filter((t) => t !== frame.trace && t.latency).map((t) => {
		const cells = cellsOf(t.latency, t.bins);
		return cells[op] ? foldCells(cells[op], t.latency.rows, fold(view, t, frame.inner, COLUMN), step).most : 0;
	});
}

// Powers of ten; between few of them, rounder steps.
function ticksOf([low, high]) {
	for (const steps of [[1], [1, 2, 5]]) {
		const ticks = [];
		for (let at = 10 ** Math.floor(Math.log10(low)); at <= high; at *= 10) ticks.push(...steps.map((step) => step * at).filter((tick) => tick >= low && tick <= high));
		if (ticks.length > 1) return ticks;
	}
	return linearTicks(low, high, 4);
}
