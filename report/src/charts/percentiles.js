// SPDX-License-Identifier: MIT
// How bad is one in a hundred, one in a thousand? The axis gives each further nine the same room.
import { line } from "d3-shape";
import { scaleLinear, scaleLog } from "d3-scale";
import { NAMES, letter, opsOf, traces } from "../data.js";
import { shortTime, time } from "../format.js";

const STEP = 0.05; // of -log10(1 - p) between the values of a curve
const LETTER = 7; // the width of one, in pixels
const TICKS = [[0, "min"], [Math.log10(2), "p50"], [1, "p90"], [2, "p99"], [3, "p99.9"], [4, "p99.99"], [5, "p99.999"]];

// curves: {name, color, values, dashed}
function draw(frame, curves) {
	const group = frame.area(230, { right: 56 }), all = curves.flatMap((c) => c.values).filter((v) => v > 0);
	if (!all.length) all.push(1); // a trace of coarse times may have latencies of 0 alone
	const longest = Math.max(...curves.map((c) => c.values.length)), end = Math.max(1, (longest - 1) * STEP);
	const x = scaleLinear([0, end], [0, frame.inner]);
	const y = scaleLog([Math.min(...all), Math.max(...all, 2 * Math.min(...all))], [frame.height, 0]).nice();
	const decades = [];
	for (let at = 10 ** Math.ceil(Math.log10(y.domain()[0])); at <= y.domain()[1]; at *= 10) decades.push(at);
	const ticks = [];
	for (const [at, name] of TICKS) {
		const last = ticks.at(-1), room = last && x(at) - x(last[0]);
		if (at <= end && (!last || room > LETTER * (name.length + last[1].length) / 2 + LETTER)) ticks.push([at, name]);
	}
	frame.axisY(y, shortTime, decades);
	frame.axisX(x, (at) => ticks.find(([t]) => t === at)[1], ticks.map(([at]) => at));
	const path = line((v, i) => x(i * STEP), (v) => y(Math.max(v, y.domain()[0])));
	const labels = [];
	for (const curve of curves) {
		if (!curve.values.length) continue;
		group.append("path").attr("class", `curve${curve.dashed ? " dashed" : ""}`).attr("stroke", curve.color).attr("d", path(curve.values));
		labels.push({ curve, x: x((curve.values.length - 1) * STEP) + 5, y: y(Math.max(curve.values.at(-1), y.domain()[0])) });
	}
	apart(labels, frame.height);
	for (const label of labels) group.append("text").attr("class", "label halo-text").attr("x", label.x).attr("y", label.y).attr("dy", "0.32em").attr("fill", label.curve.color).text(label.curve.name);
	frame.tip((px) => {
		const at = Math.round(x.invert(px) / STEP);
		if (at < 0 || at >= longest) return null;
		const p = 100 * (1 - 10 ** (-at * STEP));
		return { title: at ? `p${+p.toPrecision(p > 99 ? 6 : 3)}` : "min", rows: curves.filter((c) => c.values.length > at).map((c) => [c.name, time(c.values[at])]) };
	}, Array.from({ length: longest }, (_, at) => [x(at * STEP), frame.height / 2]));
}

// Labels that would overlap move down.
function apart(labels, height) {
	labels.sort((a, b) => a.y - b.y);
	labels.forEach((label, i) => {
		const last = labels[i - 1];
		if (last && Math.abs(last.x - label.x) < 60 && label.y - last.y < 13) label.y = Math.min(height, last.y + 13);
	});
}

const PARTS = { total_ns: "total", queue_ns: "queue", device_ns: "device" };

export function percentiles(frame) {
	const curves = frame.trace.percentiles, ops = opsOf(curves);
	const parts = Object.fromEntries(Object.entries(PARTS).filter(([key]) => ops.some((op) => curves[op][key])));
	const part = frame.choose("part", parts, "total_ns");
	draw(frame, ops.filter((op) => curves[op][part]).map((op) => ({ name: NAMES[op], color: `var(--${op})`, values: curves[op][part] })));
}

// One curve a trace, of reads or writes.
export function curves(op) {
	return (frame) => {
		const drawn = traces.map((t, i) => ({ name: letter(i), color: `var(--trace-${i})`, dashed: i === 0, values: t.percentiles[op]?.total_ns ?? [] }));
		frame.legend(drawn.map((c) => ({ name: c.name, color: c.color, kind: c.dashed ? "dashed" : "line" })));
		draw(frame, drawn.filter((c) => c.values.length));
	};
}
