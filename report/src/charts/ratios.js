// SPDX-License-Identifier: MIT
// Does all of the distribution move, or only its tail? B / A on a log scale around "same".
import { scaleLog } from "d3-scale";
import { letter, traces } from "../data.js";
import { ratio } from "../format.js";
import { rowStops } from "./bars.js";

const FIGURES = [["mean", "ratio", "mean"], ["p50", "ratio", "p50"], ["p90", "ratio", "p90"], ["p99", "ratio", "p99"], ["p99.9", "ratio", "p99_9"], ["max", "ratio", "max"], ["queue mean", "queue", "mean"], ["device mean", "device", "mean"]];
const LINE = 14; // pixels between the values of a figure
const SAME = 1.05; // as compare has it

export function ratios(op) {
	return (frame) => {
		const others = traces.slice(1), row = Math.max(20, LINE * others.length + 8);
		const figures = FIGURES.map(([name, part, key]) => ({ name, values: others.map((t) => valueOf(t.comparison.latency[op], part, key)) }));
		const all = figures.flatMap((f) => f.values).filter((v) => v > 0);
		const end = Math.max(2, 2 ** Math.ceil(Math.log2(Math.max(...all, ...all.map((v) => 1 / v)))));
		const group = frame.area(figures.length * row, { left: 98, right: 62 });
		const x = scaleLog([1 / end, end], [0, frame.inner]).base(2), ticks = [];
		const step = Math.max(1, Math.ceil(Math.log2(end) / Math.max(1, Math.floor(frame.inner / 110))));
		for (let at = 0; at <= Math.log2(end); at += step) ticks.push(...(at ? [2 ** -at, 2 ** at] : [1]));
		frame.axisX(x, (v) => (v === 1 ? "same" : v < 1 ? `x1/${Math.round(1 / v)}` : `x${Math.round(v)}`), ticks);
		group.append("line").attr("class", "mark").attr("x1", x(1)).attr("x2", x(1)).attr("y1", 0).attr("y2", frame.height);
		figures.forEach((figure, i) => {
			const middle = i * row + row / 2;
			group.append("text").attr("class", "name").attr("x", -10).attr("y", middle).attr("dy", "0.32em").attr("text-anchor", "end").text(figure.name);
			figure.values.forEach((value, t) => drawn(frame, group, x, value, middle + (t - (others.length - 1) / 2) * LINE, t));
		});
		frame.tip((_, y) => {
			const figure = figures[Math.floor(y / row)];
			return figure && { title: figure.name, rows: figure.values.map((v, t) => [`${letter(t + 1)} / A`, ratio(v)]) };
		}, rowStops(figures.length, row, frame));
	};
}

function valueOf(latency, part, key) {
	return (part === "ratio" ? latency.ratio : latency[part].ratio)[key] ?? NaN;
}

function drawn(frame, group, x, value, y, index) {
	const name = traces.length > 2 ? `${letter(index + 1)} ` : "";
	group.append("text").attr("class", "value").attr("x", frame.inner + 56).attr("y", y).attr("dy", "0.32em").attr("text-anchor", "end").text(name + ratio(value));
	if (!(value > 0)) return;
	const kind = value > SAME ? "slower" : value < 1 / SAME ? "faster" : "same";
	group.append("line").attr("class", `change ${kind}`).attr("x1", x(1)).attr("x2", x(value)).attr("y1", y).attr("y2", y);
	group.append("circle").attr("class", `change ${kind}`).attr("cx", x(value)).attr("cy", y).attr("r", 4);
}
