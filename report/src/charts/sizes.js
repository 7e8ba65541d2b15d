// SPDX-License-Identifier: MIT
// Many small or few large? Shares, mirrored at the names of the sizes.
import { NAMES, letter, sum, traces } from "../data.js";
import { bytes, count, percent } from "../format.js";
import { rowStops } from "./bars.js";

const ROW = 20, SMALLEST = 4096, NAME = 70, VALUE = 48;

// left, right: {name, color, values}
function mirror(frame, left, right, exact) {
	const rows = Math.max(left.values.length, right.values.length), group = frame.area(rows * ROW + 18, { left: 4, right: 4, top: 4, bottom: 4 });
	const room = (frame.inner - NAME) / 2 - VALUE, sides = [left, right].map((s) => ({ ...s, total: sum(s.values) }));
	const most = Math.max(1e-9, ...sides.flatMap((s) => s.values.map((v) => (s.total ? v / s.total : 0))));
	for (let i = 0; i < rows; i++) {
		const y = i * ROW;
		group.append("text").attr("class", "name").attr("x", frame.inner / 2).attr("y", y + 13).attr("text-anchor", "middle").text(bytes(SMALLEST * 2 ** i));
		sides.forEach((side, s) => {
			const part = side.total ? (side.values[i] ?? 0) / side.total : 0;
			if (!part) return;
			const width = Math.max(1, (part / most) * room), inner = frame.inner / 2 + (s ? NAME : -NAME) / 2;
			group.append("rect").attr("x", s ? inner : inner - width).attr("y", y + 3).attr("width", width).attr("height", ROW - 7).attr("rx", 1.5).attr("fill", side.color);
			group.append("text").attr("class", "value").attr("x", s ? inner + width + 5 : inner - width - 5).attr("y", y + 13).attr("text-anchor", s ? "start" : "end").text(percent(part));
		});
	}
	sides.forEach((side, s) =>
		group.append("text").attr("class", "label").attr("fill", side.color).attr("x", frame.inner / 2 + ((s ? 1 : -1) * NAME) / 2).attr("y", rows * ROW + 14).attr("text-anchor", s ? "start" : "end").text(side.name),
	);
	frame.tip((x, y) => {
		const i = Math.floor(y / ROW);
		if (i < 0 || i >= rows) return null;
		const title = i ? `over ${bytes(SMALLEST * 2 ** (i - 1))}, up to ${bytes(SMALLEST * 2 ** i)}` : `up to ${bytes(SMALLEST)}`;
		return { title, rows: sides.map((s) => [s.name, exact(s.values[i] ?? 0)]) };
	}, rowStops(rows, ROW, frame));
}

export function sizes(frame) {
	const { trace } = frame, unit = frame.choose("unit", { ios: "of IOs", bytes: "of bytes" });
	const side = (op) => ({ name: NAMES[op], color: `var(--${op})`, values: trace.sizes[op]?.[unit] ?? [] });
	mirror(frame, side("read"), side("write"), unit === "ios" ? count : bytes);
}

// The same of the first trace and another one, reads and writes together.
export function sizeShares(frame) {
	const unit = frame.choose("unit", { ios: "of IOs", bytes: "of bytes" });
	const others = Object.fromEntries(traces.slice(1).map((_, i) => [String(i + 1), `A and ${letter(i + 1)}`]));
	const other = Number(frame.choose("other", others));
	const side = (i) => {
		const values = [];
		for (const op of ["read", "write"]) (traces[i].sizes[op]?.[unit] ?? []).forEach((n, at) => (values[at] = (values[at] ?? 0) + n));
		return { name: letter(i), color: `var(--trace-${i})`, values };
	};
	mirror(frame, side(0), side(other), unit === "ios" ? count : bytes);
}
