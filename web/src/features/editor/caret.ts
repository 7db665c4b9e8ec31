/** Where the caret of a text area is, and changes of its text that the browser can undo. */

const copied = [
  ...(['boxSizing', 'width', 'paddingTop', 'paddingRight', 'paddingBottom', 'paddingLeft', 'borderTopWidth'] as const),
  ...([
    'borderRightWidth',
    'borderLeftWidth',
    'fontFamily',
    'fontSize',
    'fontWeight',
    'lineHeight',
    'letterSpacing',
  ] as const),
  ...(['tabSize', 'wordSpacing', 'textIndent'] as const),
];

/** The place below a character, from the corner of the text area. */
export function placeBelow(area: HTMLTextAreaElement, at: number): { readonly left: number; readonly top: number } {
  const mirror = document.createElement('div');
  const style = getComputedStyle(area);
  for (const name of copied) mirror.style[name] = style[name];
  mirror.style.position = 'absolute';
  mirror.style.visibility = 'hidden';
  mirror.style.whiteSpace = 'pre-wrap';
  mirror.style.overflowWrap = 'break-word';
  mirror.textContent = area.value.slice(0, at);
  const mark = document.createElement('span');
  mark.textContent = area.value.slice(at, at + 1) || '.';
  mirror.append(mark);
  document.body.append(mirror);
  const place = {
    left: mark.offsetLeft,
    top: mark.offsetTop - area.scrollTop + (Number.parseFloat(style.lineHeight) || 20),
  };
  mirror.remove();
  return place;
}

/** Replaces a part of the text as typing would: the browser's undo takes it back. */
export function replaceText(area: HTMLTextAreaElement, start: number, end: number, text: string): void {
  area.focus();
  area.setSelectionRange(start, end);
  // The only way that keeps the history of a field.
  const done = text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);
  if (done) return;
  area.setRangeText(text, start, end, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}
