// SPDX-License-Identifier: MIT
// Rows of one bar each, cut into parts.
import { inkOn } from "../colors.js";

const ROW = 42, BAR = 16, LETTER = 6.6;

// The middle of each row, for a cursor.
export function rowStops(rows, height, frame) {
	return Array.from({ length: rows }, (_, i) => [frame.inner / 2, (i + 0.5) * height]);
}

// rows: {name, value, parts: [{name, size, color, pale}]}; each bar fills the width.
export function barRows(frame, rows, tipText) {
	const group = frame.area(rows.length * ROW, { left: 4, right: 4, top: 4, bottom: 4 });
	rows.forEach((row, i) => {
		const y = i * ROW, total = row.parts.reduce((sum, p) => sum + p.size, 0);
		group.append("text").attr("class", "name").attr("x", 0).attr("y", y + 11).text(row.name);
		group.append("text").attr("class", "value").attr("x", frame.inner).attr("y", y + 11).attr("text-anchor", "end").text(row.value);
		let left = 0;
		for (const part of row.parts) {
			const width = total ? (part.size / total) * frame.inner : 0;
			if (!width) continue;
			group.append("rect").attr("x", left).attr("y", y + 16).attr("width", Math.max(1, width - 1)).attr("height", BAR).attr("fill", part.color).attr("fill-opacity", part.pale ? 0.4 : 1);
			if (width > LETTER * part.name.length + 10 && !part.pale) group.append("text").attr("class", "inside-bar").style("fill", inkOn(part.color)).attr("x", left + 6).attr("y", y + 16 + BAR / 2).attr("dy", "0.35em").text(part.name);
			left += width;
		}
	});
	frame.tip((x, y) => {
		const row = rows[Math.floor(y / ROW)];
		return row && { title: row.name, rows: row.parts.filter((p) => p.size).map((p) => [p.name, tipText(p.size)]) };
	}, rowStops(rows.length, ROW, frame));
}
