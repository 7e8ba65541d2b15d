// SPDX-License-Identifier: MIT
// Is it the same workload? Each figure on its limits, the band; outside it differs.
import { report } from "../data.js";
import { ratio } from "../format.js";
import { rowStops } from "./bars.js";

const ROW = 24, EDGE = 2; // of the limits that the scale shows to each side

export function workload(frame) {
	const { comparison } = frame.trace, narrow = frame.width < 560, judged = comparison.same_workload !== null;
	const rows = report.figures.map((figure) => ({ ...figure, value: valueOf(comparison.workload, figure.name) })).filter((r) => r.value !== null);
	const changes = frame.widest(rows.map(changeText)), verdicts = frame.widest(rows.map((r) => `differs, over ${limitText(r)}`));
	const group = frame.area(rows.length * ROW, { left: frame.widest(rows.map((r) => r.label)) + 14, right: narrow ? changes + 14 : changes + verdicts + 40, top: 4, bottom: 6 });
	rows.forEach((row, i) => {
		const y = i * ROW + ROW / 2, [low, at, high] = places(row), differs = comparison.differs.includes(row.name);
		const x = (part) => part * frame.inner;
		group.append("text").attr("class", "name").attr("x", -12).attr("y", y).attr("dy", "0.32em").attr("text-anchor", "end").text(row.label);
		group.append("line").attr("class", "track").attr("x1", 0).attr("x2", frame.inner).attr("y1", y).attr("y2", y);
		group.append("rect").attr("class", "band").attr("x", x(low)).attr("width", x(high - low)).attr("y", y - 6).attr("height", 12).attr("rx", 2);
		group.append("circle").attr("class", !judged ? "unjudged" : differs ? "outside" : "inside").attr("cx", x(at)).attr("cy", y).attr("r", 4.5);
		group.append("text").attr("class", "value").attr("x", frame.inner + 12).attr("y", y).attr("dy", "0.32em").text(changeText(row));
		if (judged && !narrow) group.append("text").attr("class", differs ? "verdict outside" : "verdict").attr("x", frame.inner + changes + verdicts + 34).attr("y", y).attr("dy", "0.32em").attr("text-anchor", "end").text(`${differs ? "differs, over" : "within"} ${limitText(row)}`);
	});
	frame.tip((_, y) => {
		const row = rows[Math.floor(y / ROW)];
		return row && { title: row.label, rows: [["change", changeText(row)], ["limit", limitText(row)]] };
	}, rowStops(rows.length, ROW, frame));
}

function valueOf(figures, name) {
	return name.split(".").reduce((object, key) => object?.[key], figures) ?? null;
}

// Band and value on a scale from 0 to 1, clamped.
function places(row) {
	const clamp = (v) => Math.max(0, Math.min(1, v));
	if (row.is_ratio) return [0.25, clamp(0.5 + Math.log(Math.max(row.value, 1e-9)) / Math.log(row.limit) / (2 * EDGE)), 0.75];
	if (row.name.endsWith("_pp")) return [0.25, clamp(0.5 + row.value / row.limit / (2 * EDGE)), 0.75];
	return [0, clamp(row.value / row.limit / EDGE), 0.5];
}

function changeText(row) {
	if (row.is_ratio) return ratio(row.value);
	if (row.name.endsWith("_pp")) return `${row.value > 0 ? "+" : ""}${row.value.toFixed(2)} points`;
	return `${row.value.toFixed(3)} apart`;
}

function limitText(row) {
	if (row.is_ratio) return row.limit < 1.2 ? `${Math.round((row.limit - 1) * 100)} %` : `x${row.limit}`;
	return row.name.endsWith("_pp") ? `${row.limit} points` : `${row.limit}`;
}
