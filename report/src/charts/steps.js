// SPDX-License-Identifier: MIT
// Stacked steps over time, for the load, the page cache and the processes.
import { area, line, curveStepAfter } from "d3-shape";

// values[s][c]: of series s in column c. Columns need not be next to each other.
export function stackSteps(frame, x, y, columns, values, colors) {
	const below = new Float64Array(columns.length);
	clip(frame);
	values.forEach((series, s) => {
		const points = [];
		columns.forEach((column, c) => {
			points.push({ at: column.from, low: below[c], high: below[c] + series[c] });
			below[c] += series[c];
			const next = columns[c + 1];
			if (!next || next.from > column.to) points.push({ at: column.to, low: 0, high: 0, end: true });
		});
		layer(frame)
			.append("path")
			.attr("fill", colors[s])
			.attr(
				"d",
				area()
					.x((p) => x(p.at))
					.y0((p) => y(p.low))
					.y1((p) => y(p.high))
					.curve(curveStepAfter)(points),
			);
	});
}

// A line of steps; `fill` closes it to the axis.
export function steps(frame, x, y, columns, series, attributes, fill) {
	const points = [];
	columns.forEach((column, c) => {
		points.push([column.from, series[c]]);
		const next = columns[c + 1];
		if (!next || next.from > column.to) points.push([column.to, series[c]]);
	});
	clip(frame);
	const path = fill ? area().y0(y(0)).y1((p) => y(p[1])) : line().y((p) => y(p[1])).defined((p) => Number.isFinite(p[1]));
	const drawn = layer(frame).append("path").attr("d", path.x((p) => x(p[0])).curve(curveStepAfter)(points));
	for (const [name, value] of Object.entries(attributes)) drawn.attr(name, value);
}

function clip(frame) {
	const id = `clip-${frame.section.id}`;
	if (frame.group.select(`#${id}`).empty())
		frame.group.append("clipPath").attr("id", id).append("rect").attr("width", frame.inner).attr("height", frame.height);
}

function layer(frame) {
	return frame.group.append("g").attr("clip-path", `url(#clip-${frame.section.id})`);
}
