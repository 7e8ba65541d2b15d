// SPDX-License-Identifier: MIT
// Sequential (slopes), random (dust), or hot spots (lines)?
import { scaleLinear } from "d3-scale";
import { cellsOf, fold, NAMES, opsOf, sum } from "../data.js";
import { bytes, count, exactBytes } from "../format.js";
import { columnAt, foldCells, paint } from "../heat.js";
import { linkTime } from "../over_time.js";
import { momentOf, view } from "../time_view.js";

const HEIGHT = 190, ROW = 2, COLUMN = 3;

export function addresses(frame) {
	const { trace } = frame, map = trace.addresses, cells = cellsOf(map, trace.bins), ops = opsOf(cells);
	const choices = ops.length > 1 ? { all: "all", ...Object.fromEntries(ops.map((op) => [op, NAMES[op]])) } : { [ops[0]]: NAMES[ops[0]] };
	frame.area(HEIGHT, { left: 74 - 12 });
	const op = frame.choose("op", choices, "all");
	const touched = frame.choose("rows", { all: "all addresses", touched: "touched only" });
	const kept = touched === "touched" ? touchedRows(map, cells.all) : null;
	const shown = kept ? { ...map, rows: kept.length } : map, own = kept ? pick(cells[op], map.rows, kept) : cells[op];
	const columns = fold(view, trace, frame.inner, COLUMN), step = Math.max(1, Math.ceil((ROW * shown.rows) / HEIGHT));
	const folded = foldCells(own, shown.rows, columns, step);
	const y = scaleLinear([0, folded.rows * step], [HEIGHT, 0]);
	const address = (row) => map.base_bytes + (kept ? (kept[Math.min(Math.floor(row), kept.length - 1)] ?? 0) : row) * map.row_bytes;

	const ticks = kept ? y.ticks(4).filter((t) => t < shown.rows) : byteTicks(map, folded.rows * step), labels = labelsOf(ticks.map(address));
	frame.axisY(y, (row) => labels[ticks.indexOf(row)], ticks);
	const x = frame.axisTime(), color = paint(frame, folded, x, 0, HEIGHT, op);
	frame.ramp(color, folded.most);
	frame.tools.append(...frame.tools.querySelectorAll(".switch"));
	linkTime(frame, x, (ns, py) => {
		const at = columnAt(columns, ns), row = Math.floor(y.invert(py) / step);
		if (at < 0 || row < 0 || row >= folded.rows) return null;
		return {
			title: `${momentOf(trace, columns[at].from)} · ${exactBytes(address(row * step), map.row_bytes)}`,
			rows: [
				["in this cell", count(folded.counts[at * folded.rows + row])],
				["in this column", count(sum(folded.counts, at * folded.rows, (at + 1) * folded.rows))],
			],
		};
	});
}

function touchedRows(map, cells) {
	const used = new Set();
	cells.forEach((n, i) => n && used.add(i % map.rows));
	return [...used].sort((a, b) => a - b);
}

function pick(cells, rows, kept) {
	const picked = new Uint32Array((cells.length / rows) * kept.length);
	for (let bin = 0; bin < cells.length / rows; bin++) kept.forEach((row, i) => (picked[bin * kept.length + i] = cells[bin * rows + row]));
	return picked;
}

// Those of addresses that look alike say how far they are from the lowest.
function labelsOf(addresses) {
	const labels = addresses.map(bytes);
	return new Set(labels).size === labels.length ? labels : addresses.map((address, i) => (i ? `+${bytes(address - addresses[0])}` : labels[0]));
}

// Powers of two of bytes, in rows.
function byteTicks(map, rows) {
	const span = rows * map.row_bytes;
	let step = map.row_bytes;
	while (span / step > 5) step *= 2;
	const ticks = [];
	for (let at = Math.ceil(map.base_bytes / step) * step; at <= map.base_bytes + span; at += step) ticks.push((at - map.base_bytes) / map.row_bytes);
	return ticks;
}
