// SPDX-License-Identifier: MIT
// Times, sizes and counts as people read them, as blkreel prints them elsewhere.
import { format } from "d3-format";

const whole = format(",.0f");

function three(value) {
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function time(ns) {
	if (!Number.isFinite(ns)) return "-";
	if (ns < 1e3) return `${ns < 10 && ns % 1 ? ns.toFixed(1) : ns.toFixed(0)} ns`;
	if (ns < 1e6) return `${three(ns / 1e3)} us`;
	if (ns < 1e9) return `${three(ns / 1e6)} ms`;
	return `${three(ns / 1e9)} s`;
}

// Without needless zeros, for axes.
export function shortTime(ns) {
	return time(ns).replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ");
}

// A moment of the recording, exact enough for steps of `step` ns.
export function moment(ns, step) {
	const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1e9))));
	if (ns >= 120e9 && digits === 0) {
		const s = Math.round(ns / 1e9), h = Math.floor(s / 3600), m = Math.floor((s % 3600) / 60);
		const text = `${String(m).padStart(h ? 2 : 1, "0")}:${String(s % 60).padStart(2, "0")}`;
		return h ? `${h}:${text} h` : `${text} min`;
	}
	return `${(ns / 1e9).toFixed(digits)} s`;
}

export function bytes(value) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let i = 0;
	for (; value >= 1024 && i < units.length - 1; i++) value /= 1024;
	return `${i && value % 1 ? value.toFixed(value < 100 ? 1 : 0) : whole(value)} ${units[i]}`;
}

export function count(value) {
	return value < 10 && value % 1 ? value.toFixed(1) : whole(value);
}

// 12,345 as "12 k", for axes.
export function short(value) {
	if (value >= 1e9) return `${+(value / 1e9).toPrecision(3)} G`;
	if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
	if (value >= 1e4) return `${+(value / 1e3).toPrecision(3)} k`;
	return `${+value.toPrecision(3)}`;
}

export function percent(part) {
	const value = 100 * part;
	if (value > 0 && value < 0.1) return "< 0.1 %";
	return `${value.toFixed(value < 10 && value % 1 ? 1 : 0)} %`;
}

export function ratio(value) {
	return Number.isFinite(value) ? `x${+value.toPrecision(3)}` : "-";
}
