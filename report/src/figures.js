// SPDX-License-Identifier: MIT
// What the figures at the top are in the chosen part of the time, from the bins.
import { cellsOf, OPS, percentile, rowsOf, sum, traces } from "./data.js";
import { bytes, count, percent, time as timeText } from "./format.js";
import { isWhole, view } from "./time_view.js";

export function tellSelection() {
	for (const figure of document.querySelectorAll("[data-figure]")) {
		figure.querySelector(".selected")?.remove();
		const text = !isWhole() && traces.length === 1 && TEXTS[figure.dataset.figure]?.(traces[0]);
		if (!text) continue;
		const line = document.createElement("p");
		line.className = "selected";
		line.textContent = `selection: ${text}`;
		figure.querySelector("dd").append(line);
	}
}

function range(trace) {
	return [Math.floor(view.from / trace.bin_ns), Math.min(trace.bins, Math.ceil(view.to / trace.bin_ns))];
}

function total(trace, unit, ops = OPS) {
	return sum(ops.filter((op) => trace.load[op]).map((op) => sum(trace.load[op][unit], ...range(trace))));
}

function latencies(op) {
	return (trace) => {
		const cells = trace.latency && cellsOf(trace.latency, trace.bins)[op];
		if (!cells) return "";
		const counts = rowsOf(cells, trace.latency.rows, ...range(trace));
		const of = trace.explain.devices.length > 1 ? "; all devices" : "";
		return sum(counts) ? [0.5, 0.99].map((p) => `about ${timeText(percentile(trace.latency, counts, p))}`).join(" · ") + of : "none";
	};
}

const TEXTS = {
	cache: (trace) => {
		const cache = trace.page_cache;
		if (!cache?.read_pages || !cache.miss_pages) return "";
		// As explain --from --to: an interval counts where it ends.
		const inside = cache.to_ns.map((to, i) => i).filter((i) => cache.to_ns[i] >= view.from && cache.to_ns[i] < view.to);
		const pages = sum(inside.map((i) => cache.read_pages[i])), missed = sum(inside.map((i) => cache.miss_pages[i]));
		return pages ? percent((pages - missed) / pages) : "nothing read";
	},
	ios: (trace) => `${count(total(trace, "ios"))}, ${count((total(trace, "ios") * 1e9) / (view.to - view.from))}/s`,
	reads: latencies("read"),
	writes: latencies("write"),
	bytes: (trace) => `${bytes(total(trace, "bytes", ["read"]))} read, ${bytes(total(trace, "bytes", ["write"]))} written`,
	busy: () => "",
};
