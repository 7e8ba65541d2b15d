// SPDX-License-Identifier: MIT
// How many IOs were at the device at once?
import { scaleLinear } from "d3-scale";
import { fold, sum } from "../data.js";
import { count, short } from "../format.js";
import { columnAt } from "../heat.js";
import { linkTime } from "../over_time.js";
import { momentOf, view } from "../time_view.js";
import { steps } from "./steps.js";

export function queue(frame) {
	const { trace } = frame, { depth } = trace, known = depth.max.some((n) => n > 0);
	const several = trace.explain.devices.length > 1, names = several ? ["most at one device", "mean of all"] : ["most at once", "mean"];
	const entries = [{ name: names[1], color: "var(--ink)", kind: "line" }];
	if (known) entries.unshift({ name: names[0], color: "var(--depth)" });
	frame.legend(entries);
	frame.area(80);
	const columns = fold(view, trace, frame.inner, 2);
	const most = columns.map((c) => Math.max(0, ...depth.max.slice(c.first, c.end)));
	const mean = columns.map((c) => (c.end > c.first ? sum(depth.mean, c.first, c.end) / (c.end - c.first) : 0));
	const y = scaleLinear([0, Math.max(1, ...most, ...mean)], [frame.height, 0]).nice();
	frame.axisY(y, short, 3);
	const x = frame.axisTime();
	if (known) steps(frame, x, y, columns, most, { class: "depth" }, true);
	steps(frame, x, y, columns, mean, { class: "mean" });
	linkTime(frame, x, (ns) => {
		const at = columnAt(columns, ns);
		if (at < 0) return null;
		return { title: momentOf(trace, columns[at].from), rows: [...(known ? [[names[0], count(most[at])]] : []), [names[1], mean[at].toFixed(2)]] };
	});
}
