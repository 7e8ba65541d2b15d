// SPDX-License-Identifier: MIT
// What would more, or less, cache change?
import { line } from "d3-shape";
import { scaleLinear, scaleLog } from "d3-scale";
import { bytes, percent } from "../format.js";

export function misses(frame) {
	const { trace } = frame, curve = trace.miss_curve, guess = trace.explain.cache?.what_if;
	const points = curve.cache_bytes.map((size, i) => [size, curve.miss_ratio[i]]);
	const marks = guess ? guess.sizes.filter((s) => s.hit_pct != null && s.cache_bytes > 0) : [];
	const group = frame.area(230), sizes = [...curve.cache_bytes, ...marks.map((m) => m.cache_bytes)];
	const x = scaleLog([Math.min(...sizes), Math.max(...sizes, 2 * Math.min(...sizes))], [0, frame.inner]).base(2);
	const y = scaleLinear([0, 1], [frame.height, 0]), ticks = [];
	const [low, high] = x.domain(), room = Math.max(2, Math.floor(frame.inner / 80)), octaves = Math.max(1, Math.ceil(Math.log2(high / low) / room));
	for (let at = 2 ** Math.ceil(Math.log2(low)); at <= high; at *= 2 ** octaves) ticks.push(at);
	frame.legend([{ name: "blocks of the device, LRU", color: "var(--read)", kind: "line" }, ...(marks.length ? [{ name: "pages of files, modelled", color: "var(--waited)" }] : [])]);
	frame.axisY(y, percent, 5);
	frame.axisX(x, bytes, ticks);
	group.append("path").attr("class", "curve").attr("stroke", "var(--read)").attr("d", line((p) => x(p[0]), (p) => y(p[1]))(points));
	const foot = x(Math.min(high, curve.footprint_bytes));
	group.append("line").attr("class", "mark").attr("x1", foot).attr("x2", foot).attr("y1", 0).attr("y2", frame.height);
	group.append("text").attr("class", "name").attr("x", foot - 5).attr("y", 10).attr("text-anchor", "end").text(`all that was touched: ${bytes(curve.footprint_bytes)}`);
	for (const mark of marks) group.append("circle").attr("class", "guess").attr("cx", x(mark.cache_bytes)).attr("cy", y(1 - mark.hit_pct / 100)).attr("r", 4);
	frame.tip((px) => {
		const size = x.invert(px), at = points.findLastIndex((p) => p[0] <= size * 1.0001);
		return at < 0 ? null : { title: bytes(points[at][0]), rows: [["misses", percent(points[at][1])]] };
	}, points.map((p) => [x(p[0]), frame.height / 2]));
	const note = document.createElement("p");
	note.className = "note";
	note.textContent = `Share of ${curve.references.toLocaleString("en")} references to blocks of 4 KiB, read or written, that a cache of this size below the page cache would miss.`;
	frame.plot.append(note);
}
