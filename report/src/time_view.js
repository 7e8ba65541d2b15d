// SPDX-License-Identifier: MIT
// The part of the time that all charts over time show, and the line at the pointer.
import { traces } from "./data.js";
import { clock, moment } from "./format.js";

const ends = traces.map((t) => Math.max(t.bins * t.bin_ns, t.bin_ns));
export const WHOLE = { from: 0, to: Math.max(1, ...ends) };
export const BIN = Math.max(1, ...traces.map((t) => t.bin_ns));
export const view = { ...WHOLE };

const watchers = new Set(), lines = new Set();

export function isWhole() {
	return view.from <= WHOLE.from && view.to >= WHOLE.to;
}

// Whole bins, at least four of them.
export function show(from, to) {
	const least = 4 * BIN;
	if (to < from) [from, to] = [to, from];
	if (to - from < least) [from, to] = [(from + to - least) / 2, (from + to + least) / 2];
	const width = Math.min(bins(to - from), WHOLE.to);
	view.from = Math.max(0, Math.min(bins(from), WHOLE.to - width));
	view.to = view.from + width;
	history.replaceState(null, "", isWhole() ? location.pathname + location.search : `#t=${hash(view.from)}-${hash(view.to)}`);
	for (const changed of watchers) changed();
}

function bins(ns) {
	return Math.round(ns / BIN) * BIN;
}

function hash(ns) {
	return +(ns / 1e9).toFixed(6);
}

export function showWhole() {
	show(WHOLE.from, WHOLE.to);
}

export function onChange(changed) {
	watchers.add(changed);
}

// A moment of a trace, with its time of day.
export function momentOf(trace, ns) {
	return [moment(ns, BIN), clock(trace.start_wall_ns, ns, BIN)].filter(Boolean).join(" · ");
}

// The time of day is that of one trace.
export function rangeText() {
	const wall = traces.length === 1 && traces[0].start_wall_ns, ends = [view.from, view.to];
	const clocks = wall ? ` · ${ends.map((ns) => clock(wall, ns, BIN)).join(" to ")}` : "";
	return ends.map((ns) => moment(ns, BIN)).join(" to ") + clocks;
}

// "#t=11.5-24.5" in the address, in seconds.
export function readAddress() {
	const match = /^#t=([\d.]+)-([\d.]+)$/.exec(location.hash);
	if (match) show(match[1] * 1e9, match[2] * 1e9);
}

// Every chart over time moves its line with the pointer of any of them; null: there is none.
export function onPointer(move) {
	lines.add(move);
	return () => lines.delete(move);
}

export function point(ns) {
	for (const move of lines) move(ns);
}

export function pan(part) {
	const shift = Math.sign(part) * bins(Math.abs(part) * (view.to - view.from));
	show(view.from + shift, view.to + shift);
}

export function zoom(factor, at = (view.from + view.to) / 2) {
	show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}
