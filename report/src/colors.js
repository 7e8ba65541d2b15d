// SPDX-License-Identifier: MIT
// Colours of page.css for what is painted by hand.

export function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function channels(hex) {
	return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function mix(a, b, part) {
	return a.map((value, i) => Math.round(value + (b[i] - value) * part));
}

const EMPTY = 0.07; // where the ramp begins, so that one IO is seen
const TURN = 0.65; // here it has the colour of the operation

// One hue from the card to the text: 0 < part <= 1.
export function ramp(name) {
	const card = channels(color("card")), own = channels(color(name)), ink = channels(color("ramp-end"));
	return (part) => {
		const at = EMPTY + (1 - EMPTY) * part;
		return at < TURN ? mix(card, own, 0.12 + (0.88 * at) / TURN) : mix(own, ink, (at - TURN) / (1 - TURN));
	};
}

const INKS = ["#16202b", "#ffffff"];

// How light it is to the eye, from 0 to 1 (WCAG).
function luminance(rgb) {
	const [r, g, b] = rgb.map((value) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// What is best read on a colour: [r, g, b], or "var(--name)".
export function inkOn(paper) {
	const light = luminance(Array.isArray(paper) ? paper : channels(color(/^var\(--(.*)\)$/.exec(paper)[1])));
	const [dark, white] = INKS.map((ink) => luminance(channels(ink)));
	return (light + 0.05) / (dark + 0.05) > (white + 0.05) / (light + 0.05) ? INKS[0] : INKS[1];
}

// Of the series of processes: apart for colour-blind eyes, in the order of size.
export function series(index) {
	return `var(--series-${index})`;
}
