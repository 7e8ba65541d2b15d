// SPDX-License-Identifier: MIT
// The exact numbers of a place in a chart: under the pointer, or at a cursor that arrow keys move.
import { select } from "d3-selection";

const STEPS = 50; // of the cursor from end to end of a chart without stops
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// content(x, y) in pixels of the area: {title, rows: [[name, value]]}, or nothing. The cursor goes from one of
// `stops`, places in pixels, to the next, or in equal steps. Returns what shows the tip at the cursor.
export function addTip(frame, content, stops) {
	const { svg, inner, height, margin } = frame;
	frame.cursor ??= { stop: 0, x: STEPS / 2, y: STEPS / 2 };
	const show = (x, y, at) => {
		const told = x >= 0 && x <= inner && y >= -4 && y <= height + 4 && content(x, y);
		if (told) showTip(told, at);
		else hideTip();
	};
	const follow = (event) => {
		frame.quiet = true;
		show(...pointer(event, frame), event);
	};
	const showCursor = () => {
		const { cursor } = frame, box = svg.node().getBoundingClientRect();
		const [x, y] = stops?.[Math.min(cursor.stop, stops.length - 1)] ?? [(cursor.x * (inner - 1)) / STEPS, (cursor.y * (height - 1)) / STEPS];
		show(x, y, { clientX: box.left + margin.left + x, clientY: box.top + margin.top + y });
	};
	const keys = (event) => {
		const arrow = ARROWS[event.key];
		if (event.key === "Escape") {
			frame.quiet = true;
			hideTip();
		}
		// Who points at a chart scrolls the page with these.
		if (!arrow || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || (arrow[1] && frame.quiet)) return;
		event.preventDefault();
		move(frame.cursor, arrow, stops);
		frame.quiet = false;
		showCursor();
	};
	svg.attr("tabindex", 0)
		.attr("role", "application")
		.attr("aria-label", `${frame.title}. Arrows tell its numbers.`)
		.on("pointermove.tip", follow)
		.on("pointerdown.tip", follow)
		.on("pointerleave.tip", () => {
			frame.quiet = false;
			hideTip();
		})
		.on("focus.tip", () => frame.quiet || showCursor())
		.on("blur.tip", hideTip)
		.on("keydown.tip", keys);
}

function move(cursor, [x, y], stops) {
	const within = (at, most) => Math.max(0, Math.min(most, at));
	if (stops) {
		cursor.stop = within(cursor.stop + x + y, stops.length - 1);
		return;
	}
	cursor.x = within(cursor.x + x, STEPS);
	cursor.y = within(cursor.y + y, STEPS);
}

export function pointer(event, frame) {
	const box = frame.svg.node().getBoundingClientRect();
	return [event.clientX - box.left - frame.margin.left, event.clientY - box.top - frame.margin.top];
}

let tip;

function showTip({ title, rows }, event) {
	tip ??= select(document.body).append("div").attr("class", "tip").attr("role", "status");
	tip.node().replaceChildren();
	tip.append("b").text(title);
	const table = tip.append("dl");
	for (const [name, value] of rows) {
		table.append("dt").text(name);
		table.append("dd").text(value);
	}
	const box = tip.style("display", "block").node().getBoundingClientRect();
	const right = event.clientX + 16 + box.width > innerWidth;
	tip.style("left", `${Math.max(4, right ? event.clientX - 16 - box.width : event.clientX + 16)}px`);
	tip.style("top", `${Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 8))}px`);
}

export function hideTip() {
	tip?.style("display", "none");
}
