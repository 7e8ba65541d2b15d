// SPDX-License-Identifier: MIT
// Of the pages that were read: found, or waited for?
import { scaleLinear } from "d3-scale";
import { count, moment, short } from "../format.js";
import { columnAt } from "../heat.js";
import { linkTime } from "../over_time.js";
import { BIN, momentOf, view } from "../time_view.js";
import { stackSteps } from "./steps.js";

const SHOWN = {
	read: [["found", "hit"], ["found, by readahead", "readahead"], ["waited for", "waited"]],
	write: [["dirtied", "write"], ["written back", "all"], ["evicted", "discard"]],
};

export function pageCache(frame) {
	const cache = frame.trace.page_cache, hitsKnown = cache.read_pages && cache.miss_pages;
	const kind = hitsKnown ? (frame.state.kind ?? "read") : "write";
	frame.legend(SHOWN[kind].map(([name, color]) => ({ name, color: `var(--${color})` })));
	frame.choose("kind", hitsKnown ? { read: "reads", write: "writes" } : { write: "writes" });
	frame.area(90);
	const intervals = intervalsOf(cache, kind).filter((c) => c.to > view.from && c.from < view.to);
	const most = Math.max(1, ...intervals.map((c) => c.rates.reduce((a, b) => a + b)));
	const y = scaleLinear([0, most], [frame.height, 0]).nice();
	frame.axisY(y, (n) => `${short(n)}/s`);
	const x = frame.axisTime();
	stackSteps(frame, x, y, intervals, SHOWN[kind].map((_, i) => intervals.map((c) => c.rates[i])), SHOWN[kind].map(([, color]) => `var(--${color})`));
	linkTime(frame, x, (ns) => {
		const at = columnAt(intervals, ns);
		if (at < 0) return null;
		const c = intervals[at];
		return {
			title: `${momentOf(frame.trace, c.from)} to ${moment(c.to, BIN)}`,
			rows: SHOWN[kind].map(([name], i) => [name, `${count(c.pages[i])} pages`]),
		};
	});
}

// Pages of each interval, and per second.
function intervalsOf(cache, kind) {
	return cache.from_ns.map((from, i) => {
		const to = cache.to_ns[i], pages = kind === "read" ? readsOf(cache, i) : [cache.dirtied_pages[i], cache.written_back_pages[i], cache.evicted_pages[i]];
		return { from, to, pages, rates: pages.map((n) => (to > from ? (n * 1e9) / (to - from) : 0)) };
	});
}

function readsOf(cache, i) {
	const hits = Math.max(0, cache.read_pages[i] - cache.miss_pages[i]), readahead = Math.min(hits, cache.readahead_pages?.[i] ?? 0);
	return [hits - readahead, readahead, cache.miss_pages[i]];
}
