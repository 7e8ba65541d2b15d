// SPDX-License-Identifier: MIT
// A heat map: one pixel a cell, enlarged without smoothing.
import { ramp } from "./colors.js";

// Counts of the folded columns, rows folded by `step`: {columns, rows, counts, most}.
export function foldCells(cells, rows, columns, step) {
	const folded = Math.ceil(rows / step), counts = new Float64Array(columns.length * folded);
	let most = 0;
	columns.forEach((column, c) => {
		for (let bin = column.first; bin < column.end; bin++)
			for (let row = 0; row < rows; row++) counts[c * folded + Math.floor(row / step)] += cells[bin * rows + row];
		for (let row = 0; row < folded; row++) most = Math.max(most, counts[c * folded + row]);
	});
	return { columns, rows: folded, counts, most };
}

// Places the cells into a group. x: scale of time; top and bottom of the rows, in pixels.
export function paint(frame, folded, x, top, bottom, colorName, most = folded.most) {
	const canvas = document.createElement("canvas"), color = ramp(colorName);
	const { columns, rows, counts } = folded;
	if (!columns.length || !rows) return color;
	canvas.width = columns.length;
	canvas.height = rows;
	const context = canvas.getContext("2d"), image = context.createImageData(columns.length, rows);
	for (let c = 0; c < columns.length; c++)
		for (let row = 0; row < rows; row++) {
			const count = counts[c * rows + row];
			if (!count) continue;
			const at = 4 * ((rows - 1 - row) * columns.length + c);
			image.data.set([...color(most > 1 ? Math.log(count) / Math.log(most) : 1), 255], at);
		}
	context.putImageData(image, 0, 0);
	const left = x(columns[0].from), right = x(columns.at(-1).to), clip = `clip-${frame.section.id}`;
	frame.group.append("clipPath").attr("id", clip).append("rect").attr("width", frame.inner).attr("height", frame.height);
	frame.group
		.append("g")
		.attr("clip-path", `url(#${clip})`)
		.append("image")
		.attr("class", "cells")
		.attr("href", canvas.toDataURL())
		.attr("preserveAspectRatio", "none")
		.attr("x", left)
		.attr("y", top)
		.attr("width", right - left)
		.attr("height", bottom - top);
	return color;
}

// The column at a time; undefined: there is none.
export function columnAt(columns, ns) {
	return columns.findIndex((c) => ns >= c.from && ns < c.to);
}
