// SPDX-License-Identifier: MIT
// What charts over time share: one line at the pointer, one zoom, the keys.
import * as time from "./time_view.js";
import { hideTip, pointer } from "./tip.js";

const DRAG = 4; // pixels before a press is a drag

export function linkTime(frame, scale, content) {
	const line = frame.group.append("line").attr("class", "crosshair").attr("y1", 0).attr("y2", frame.height).style("display", "none");
	const selection = frame.group.append("rect").attr("class", "selection").attr("y", 0).attr("height", frame.height).style("display", "none");
	let start = null;

	frame.stopPointing = time.onPointer((ns) => {
		const x = ns === null ? -1 : scale(ns);
		const inside = x >= 0 && x <= frame.inner;
		line.style("display", inside ? null : "none");
		if (inside) line.attr("x1", x).attr("x2", x);
	});
	frame.tip((x, y) => {
		time.point(scale.invert(x));
		return start === null && content(scale.invert(x), y);
	});
	frame.svg
		.attr("class", "zooms")
		.attr("aria-label", `${frame.title} over time. Arrows tell its numbers, with Shift they move, plus and minus zoom, Escape shows the whole trace.`)
		.on("pointerleave.line blur.line", () => time.point(null))
		.on("pointerdown.zoom", (event) => {
			const [x] = pointer(event, frame);
			if (event.pointerType === "touch" || event.button || x < 0 || x > frame.inner) return;
			start = x;
			event.currentTarget.setPointerCapture(event.pointerId);
		})
		.on("pointermove.zoom", (event) => {
			if (start === null) return;
			const x = Math.max(0, Math.min(frame.inner, pointer(event, frame)[0]));
			const wide = Math.abs(x - start) >= DRAG;
			selection.style("display", wide ? null : "none").attr("x", Math.min(x, start)).attr("width", Math.abs(x - start));
			hideTip();
		})
		.on("pointerup.zoom pointercancel.zoom", (event) => {
			const from = start;
			start = null;
			selection.style("display", "none");
			if (from === null || event.type !== "pointerup") return;
			const x = Math.max(0, Math.min(frame.inner, pointer(event, frame)[0]));
			if (Math.abs(x - from) >= DRAG) time.show(scale.invert(from), scale.invert(x));
		})
		.on("dblclick", () => time.showWhole())
		.on("keydown", (event) => keys(event));
}

function keys(event) {
	const actions = {
		ArrowLeft: event.shiftKey && (() => time.pan(-0.25)),
		ArrowRight: event.shiftKey && (() => time.pan(0.25)),
		"+": () => time.zoom(0.5),
		"=": () => time.zoom(0.5),
		"-": () => time.zoom(2),
		Escape: () => time.showWhole(),
	};
	if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
	event.preventDefault();
	actions[event.key]();
}
