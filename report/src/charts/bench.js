// SPDX-License-Identifier: MIT
// What a bench measured: against depth, over size and mix, point by point, and round by round.
import { line } from "d3-shape";
import { scaleBand, scaleLinear, scaleLog } from "d3-scale";
import { report } from "../data.js";
import { bytes, count, short, shortTime, time } from "../format.js";
import { color, inkOn, ramp, series } from "../colors.js";

const WINDOW = 5; // rounds that are judged, as STEADY_WINDOW
const FIGURES = {
	iops: { name: "IOPS", of: (p) => p.iops, text: count, axis: short },
	bytes: { name: "bytes/s", of: (p) => p.bytes_per_s, text: (n) => `${bytes(n)}/s`, axis: (n) => `${bytes(n)}/s` },
	mean: { name: "mean latency", of: (p) => p.mean_ns, text: time, axis: shortTime },
	p99: { name: "p99", of: (p) => p.p99_ns, text: time, axis: shortTime },
};

const OF_PTS = { IOPS: "iops", "MiB/s": "bytes", "mean latency": "mean" };

function choose(frame) {
	const keys = Object.keys(FIGURES);
	return FIGURES[frame.choose("figure", Object.fromEntries(keys.map((k) => [k, FIGURES[k].name])), OF_PTS[report.pts?.figure] ?? "iops")];
}

function distinct(values) {
	return [...new Set(values)].sort((a, b) => a - b);
}

function mean(values) {
	return values.reduce((sum, v) => sum + v, 0) / values.length;
}

function isTime(figure) {
	return figure === FIGURES.mean || figure === FIGURES.p99;
}

function drawLines(frame, lines, x, y) {
	const path = line((p) => x(p.at), (p) => y(p.value));
	for (const one of lines) {
		frame.group.append("path").attr("class", "curve").attr("stroke", one.color).attr("d", path(one.points));
		for (const p of one.points) frame.group.append("circle").attr("cx", x(p.at)).attr("cy", y(p.value)).attr("r", 3).attr("fill", one.color);
	}
}

// Each size, mix and number of jobs is a line.
export function benchDepth(frame) {
	const figure = choose(frame), groups = new Map(), points = report.points;
	const varies = (key) => distinct(points.map((p) => p[key] ?? 0)).length > 1;
	const name = (p) =>
		[new Set(points.map((q) => q.name)).size > 1 && p.name, varies("bs_bytes") && bytes(p.bs_bytes), varies("read_pct") && `${p.read_pct} % reads`, varies("jobs") && `${p.jobs} jobs`]
			.filter(Boolean).join(", ") || p.name;
	for (const p of points) {
		const key = name(p);
		if (!groups.has(key)) groups.set(key, new Map());
		const at = groups.get(key);
		at.set(p.depth, [...(at.get(p.depth) ?? []), figure.of(p)]);
	}
	const lines = [...groups].map(([key, at], i) => ({
		name: key, color: series(i % 7), points: [...at].sort((a, b) => a[0] - b[0]).map(([depth, values]) => ({ at: depth, value: mean(values) })),
	}));
	frame.legend(lines.map((l) => ({ name: l.name, color: l.color, kind: "line" })));
	frame.area(260, { left: 76 });
	const depths = distinct(points.map((p) => p.depth)), most = Math.max(...lines.flatMap((l) => l.points.map((p) => p.value)), 1);
	const x = scaleLog([depths[0], Math.max(depths.at(-1), 2 * depths[0])], [0, frame.inner]).base(2);
	const y = scaleLinear([0, most], [frame.height, 0]).nice();
	frame.axisY(y, figure.axis);
	frame.axisX(x, (d) => `${d}`, depths);
	drawLines(frame, lines, x, y);
	frame.tip((px) => {
		const depth = depths.reduce((best, d) => (Math.abs(x(d) - px) < Math.abs(x(best) - px) ? d : best));
		const rows = lines.map((l) => [l.name, l.points.find((p) => p.at === depth)]).filter(([, p]) => p);
		return { title: `depth ${depth}`, rows: rows.map(([key, p]) => [key, figure.text(p.value)]) };
	});
}

// Of a test of the SNIA only the last rounds, which are judged.
function measured() {
	const rounds = report.pts?.rounds;
	return rounds ? report.points.filter((p) => p.round && p.round <= rounds && p.round > rounds - WINDOW) : report.points.filter((p) => p.bs_bytes && p.read_pct !== undefined);
}

// A cell for each size and mix, with its figure.
export function benchHeat(frame) {
	const figure = choose(frame), all = measured(), names = (p) => `depth ${p.depth}, ${p.jobs} ${p.jobs === 1 ? "job" : "jobs"}`;
	const variants = [...new Set(all.map(names))];
	const variant = frame.choose("variant", Object.fromEntries(variants.map((v) => [v, v])), variants[0]);
	const points = all.filter((p) => names(p) === variant), sizes = distinct(points.map((p) => p.bs_bytes)), mixes = distinct(points.map((p) => p.read_pct));
	frame.area(Math.max(120, 34 * sizes.length), { left: 76 });
	const x = scaleBand(mixes, [0, frame.inner]).padding(0.04), y = scaleBand(sizes, [0, frame.height]).padding(0.06);
	const cells = sizes.flatMap((size) => mixes.map((mix) => ({ size, mix, values: points.filter((p) => p.bs_bytes === size && p.read_pct === mix).map(figure.of) }))).filter((c) => c.values.length);
	for (const cell of cells) cell.value = mean(cell.values);
	const least = Math.min(...cells.map((c) => c.value)), most = Math.max(...cells.map((c) => c.value)), shade = ramp(isTime(figure) ? "waited" : "read");
	const part = (value) => (most > least && least > 0 ? Math.log(value / least) / Math.log(most / least) : 1);
	for (const cell of cells) {
		const rgb = shade(Math.max(0.02, part(cell.value)));
		frame.group.append("rect").attr("x", x(cell.mix)).attr("y", y(cell.size)).attr("width", x.bandwidth()).attr("height", y.bandwidth()).attr("fill", `rgb(${rgb.join(" ")})`);
		frame.group.append("text").attr("x", x(cell.mix) + x.bandwidth() / 2).attr("y", y(cell.size) + y.bandwidth() / 2)
			.attr("dy", "0.35em").attr("text-anchor", "middle").style("fill", inkOn(rgb)).text(figure.axis(cell.value));
	}
	for (const size of sizes) frame.group.append("text").attr("class", "name").attr("x", -8).attr("y", y(size) + y.bandwidth() / 2).attr("dy", "0.35em").attr("text-anchor", "end").text(bytes(size));
	for (const mix of mixes) frame.group.append("text").attr("class", "name").attr("x", x(mix) + x.bandwidth() / 2).attr("y", frame.height + 16).attr("text-anchor", "middle").text(`${mix}/${100 - mix}`);
	frame.tip((px, py) => {
		const cell = cells.find((c) => px >= x(c.mix) && px <= x(c.mix) + x.bandwidth() && py >= y(c.size) && py <= y(c.size) + y.bandwidth());
		return cell && { title: `${bytes(cell.size)}, ${cell.mix} % reads`, rows: [[figure.name, figure.text(cell.value)]] };
	});
}

export function benchPoints(frame) {
	const figure = choose(frame), points = report.points, narrow = frame.width < 560, height = narrow ? 38 : 24;
	const name = (p) => [p.name, p.bs_bytes && bytes(p.bs_bytes), p.read_pct !== undefined && `${p.read_pct} %`, `depth ${p.depth}`, p.repeat > 1 && `#${p.repeat}`].filter(Boolean).join(" ");
	const values = frame.widest(points.map((p) => figure.text(figure.of(p)))), names = frame.widest(points.map(name));
	frame.area(height * points.length, { left: narrow ? 4 : Math.min(names + 16, frame.width / 2), right: values + 12 });
	const x = scaleLinear([0, Math.max(...points.map(figure.of), 1)], [0, frame.inner]);
	points.forEach((p, i) => {
		const value = figure.of(p), y = i * height, top = narrow ? y + 18 : y + 3, middle = top + 9;
		const text = frame.group.append("text").attr("class", "name").text(name(p));
		if (narrow) text.attr("x", 0).attr("y", y + 13);
		else text.attr("x", -8).attr("y", middle).attr("dy", "0.35em").attr("text-anchor", "end");
		frame.group.append("rect").attr("y", top).attr("height", 18).attr("width", Math.max(1, x(value))).attr("fill", color(isTime(figure) ? "waited" : "read"));
		frame.group.append("text").attr("class", "value").attr("x", x(value) + 6).attr("y", middle).attr("dy", "0.35em").text(figure.text(value));
	});
	frame.tip((px, py) => {
		const p = points[Math.floor(py / height)];
		return p && { title: name(p), rows: Object.values(FIGURES).map((f) => [f.name, f.text(f.of(p))]) };
	});
}

// All that is tracked, with the window that is judged and its mean.
export function benchRounds(frame) {
	const figure = FIGURES[OF_PTS[report.pts.figure]], tracked = report.pts.tracked, rounds = report.pts.rounds;
	const lines = tracked.map((t, i) => ({ name: `${bytes(t.bs_bytes)}, ${t.read_pct} % reads`, color: series(i), points: t.rounds.map((value, r) => ({ at: r + 1, value })), tracked: t }));
	frame.legend(lines.map((l) => ({ name: l.name, color: l.color, kind: "line" })));
	frame.area(260, { left: 76, right: 40 });
	const most = Math.max(...lines.flatMap((l) => l.points.map((p) => p.value)), 1);
	const x = scaleLinear([1, Math.max(2, rounds)], [0, frame.inner]), y = scaleLinear([0, most], [frame.height, 0]).nice();
	const first = Math.max(1, rounds - WINDOW + 1);
	frame.group.append("rect").attr("class", "band").attr("x", x(first)).attr("width", Math.max(1, x(rounds) - x(first))).attr("height", frame.height);
	frame.axisY(y, figure.axis);
	frame.axisX(x, (r) => `${r}`, distinct(lines.flatMap((l) => l.points.map((p) => p.at))).filter((r) => rounds <= 12 || r % 5 === 0));
	for (const l of lines)
		if (rounds >= WINDOW) frame.group.append("line").attr("class", "mark").attr("x1", x(first)).attr("x2", x(rounds)).attr("y1", y(l.tracked.mean)).attr("y2", y(l.tracked.mean));
	drawLines(frame, lines, x, y);
	frame.tip((px) => {
		const round = Math.round(x.invert(px));
		return round >= 1 && round <= rounds && { title: `round ${round}`, rows: lines.map((l) => [l.name, figure.text(l.points[round - 1].value)]) };
	});
}

export function benchSaturation(frame) {
	const points = report.points.filter((p) => p.round), figure = choose(frame);
	let written = 0;
	const steps = points.map((p) => ({ at: (written += p.bytes), value: figure.of(p), p }));
	frame.area(260, { left: 76 });
	const x = scaleLinear([0, Math.max(written, 1)], [0, frame.inner]), y = scaleLinear([0, Math.max(...steps.map((s) => s.value), 1)], [frame.height, 0]).nice();
	frame.axisY(y, figure.axis);
	frame.axisX(x, bytes);
	drawLines(frame, [{ color: color("write"), points: steps }], x, y);
	frame.tip((px) => {
		const step = steps.reduce((best, s) => (Math.abs(x(s.at) - px) < Math.abs(x(best.at) - px) ? s : best), steps[0]);
		return step && { title: `round ${step.p.round}, ${bytes(step.at)} written`, rows: Object.values(FIGURES).map((f) => [f.name, f.text(f.of(step.p))]) };
	});
}
