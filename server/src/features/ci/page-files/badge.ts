/** How a badge looks: a word on grey, and what is so on a colour that says whether it is good. */

export interface Badge {
  readonly key: string;
  readonly value: string;
  readonly color: string;
  /** Pixels of the left half; by the length of its text when absent. */
  readonly keyWidth?: number | undefined;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** About what a letter of the font takes at its size, with the space beside the text. */
const widthOf = (text: string): number => Math.round([...text].length * 6.6 + 12);

/** The drawing; texts of requests are escaped, and cut where they would hide what stands beside them. */
export function badgeSvg({ key: given, value, color, keyWidth }: Badge): string {
  const key = [...given].slice(0, 64).join('');
  const left = keyWidth ?? widthOf(key);
  const right = widthOf(value);
  const label = `${escaped(key)}: ${escaped(value)}`;
  const text = (x: number, content: string) =>
    `<text x="${x}" y="15" fill="#010101" fill-opacity=".3">${content}</text><text x="${x}" y="14">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}">`,
    `<title>${label}</title>`,
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><path fill="#555" d="M0 0h${left}v20H0z"/><path fill="${color}" d="M${left} 0h${right}v20H${left}z"/></g>`,
    '<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">',
    text(left / 2, escaped(key)),
    text(left + right / 2, escaped(value)),
    '</g></svg>',
    '',
  ].join('\n');
}
