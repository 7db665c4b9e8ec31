/** The name in a text that somebody points at. */

const letter = /[\p{L}\p{N}_$]/u;

/** The name around a place in a text; null where there is none. */
export function nameAround(text: string, offset: number): string | null {
  let [from, to] = [offset, offset];
  while (from > 0 && letter.test(text[from - 1] ?? '')) from -= 1;
  while (to < text.length && letter.test(text[to] ?? '')) to += 1;
  const name = text.slice(from, to);
  return name === '' || /^\d/.test(name) ? null : name;
}

/** The name under a point of the window. */
export function nameAt(x: number, y: number): string | null {
  const place = document.caretPositionFromPoint(x, y);
  return place?.offsetNode.nodeType === Node.TEXT_NODE
    ? nameAround(place.offsetNode.textContent ?? '', place.offset)
    : null;
}
