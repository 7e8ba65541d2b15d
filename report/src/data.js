// SPDX-License-Identifier: MIT
// The document that the page holds, blkreel.report/1 or blkreel.bench/1, and what is computed from it.

export const report = JSON.parse(document.getElementById("data").textContent);
export const traces = report.traces ?? []; // a bench has none
export const OPS = ["read", "write", "discard", "flush"];
export const NAMES = { read: "reads", write: "writes", discard: "discards", flush: "flushes", all: "all" };

const decoded = new WeakMap();

// The cells of a heat map by operation, column by column: {read: Uint32Array, ...}, and their sum.
export function cellsOf(map, bins) {
	if (!decoded.has(map)) {
		const cells = { all: new Uint32Array(bins * map.rows) };
		for (const [op, text] of Object.entries(map.cells)) {
			cells[op] = decode(text, bins * map.rows);
			cells[op].forEach((n, i) => (cells.all[i] += n));
		}
		decoded.set(map, cells);
	}
	return decoded.get(map);
}

// Base64 of LEB128 numbers: pairs of the empty cells to skip and the count of the next one.
function decode(text, size) {
	const bytes = atob(text), cells = new Uint32Array(size);
	let at = 0, cell = 0;
	const number = () => {
		let value = 0, scale = 1, byte;
		do {
			byte = bytes.charCodeAt(at++);
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	};
	while (at < bytes.length) {
		cell += number();
		cells[cell++] = number();
	}
	return cells;
}

// Whole bins are folded into columns of at least `pixels`, aligned to the beginning of the trace.
export function fold(view, trace, width, pixels) {
	const first = Math.floor(view.from / trace.bin_ns);
	const end = Math.min(trace.bins, Math.ceil(view.to / trace.bin_ns));
	const bins = Math.max(1, Math.ceil(view.to / trace.bin_ns) - first);
	const most = Math.max(1, Math.floor(width / pixels));
	const size = Math.max(1, Math.ceil(bins / most));
	const columns = [];
	for (let bin = first - (first % size); bin < end; bin += size)
		columns.push({
			first: Math.max(0, bin),
			end: Math.min(bin + size, trace.bins),
			from: bin * trace.bin_ns,
			to: (bin + size) * trace.bin_ns,
		});
	return columns;
}

export function sum(values, first = 0, end = values.length) {
	let total = 0;
	for (let i = first; i < end; i++) total += values[i];
	return total;
}

// The latency at which a row begins, in ns.
export function latencyOf(map, row) {
	return 2 ** ((map.first_row + row) / map.rows_per_octave);
}

// Counts of each row over some columns of a heat map.
export function rowsOf(cells, rows, first, end) {
	const counts = new Float64Array(rows);
	for (let i = first * rows; i < end * rows; i++) counts[i % rows] += cells[i];
	return counts;
}

// The middle of the row in which a percentile lies (p: 0 to 1); NaN where there is nothing.
export function percentile(map, counts, p) {
	const total = sum(counts);
	let seen = 0;
	for (let row = 0; total && row < counts.length; row++) {
		seen += counts[row];
		if (seen >= p * total) return latencyOf(map, row + 0.5);
	}
	return NaN;
}

export function opsOf(object) {
	return OPS.filter((op) => object && object[op]);
}

export function letter(index) {
	return String.fromCharCode(65 + index);
}
