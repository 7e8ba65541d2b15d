// SPDX-License-Identifier: MIT
// Pages, by what became of them: did readahead pay, were writes absorbed?
import { count } from "../format.js";
import { barRows } from "./bars.js";

export function fates(frame) {
	const { readahead, write } = frame.trace.explain.cache, rows = [];
	if (readahead.added_pages !== null)
		rows.push({
			name: "Brought by readahead",
			value: `${count(readahead.added_pages)} pages`,
			parts: [
				{ name: "used", size: readahead.used_pages, color: "var(--hit)" },
				{ name: "not known, or still cached", size: readahead.unknown_pages, color: "var(--others)" },
				{ name: "wasted", size: readahead.wasted_pages, color: "var(--waited)" },
			],
		});
	if (write.written_pages !== null)
		rows.push({
			name: "Written by applications",
			value: `${count(write.written_pages)} pages`,
			parts: [
				{ name: "absorbed: dirty already", size: write.overwritten_pages, color: "var(--hit)" },
				{ name: "made dirty", size: write.written_pages - write.overwritten_pages, color: "var(--write)" },
			],
		});
	frame.legend([{ name: "saved an IO", color: "var(--hit)" }, { name: "wasted", color: "var(--waited)" }, { name: "written", color: "var(--write)" }, { name: "other", color: "var(--others)" }]);
	barRows(frame, rows, (n) => `${count(n)} pages`);
}
