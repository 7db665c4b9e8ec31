/** The colours of terminals: sixteen from the tokens, the rest computed. The log is dark in both themes. */

const basic = [
  '#8b949e',
  '#ff8f86',
  '#6fd394',
  '#e6c25a',
  '#86b7ff',
  '#d9a5ff',
  '#6fd6de',
  '#e4eaed',
  '#a3b0b8',
  '#ffaba4',
  '#97e6b3',
  '#f2d785',
  '#abcdff',
  '#e8c6ff',
  '#9be6ec',
  '#ffffff',
];
const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);

/** Colour of an index of the 256. */
export function palette(index: number): string {
  if (index < 16) return basic[index] ?? 'inherit';
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const at = index - 16;
  return `rgb(${step(Math.floor(at / 36))} ${step(Math.floor(at / 6) % 6)} ${step(at % 6)})`;
}
