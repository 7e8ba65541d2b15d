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

// Of the series of processes: apart for colour-blind eyes, in the order of size.
export function series(index) {
	return `var(--series-${index})`;
}
