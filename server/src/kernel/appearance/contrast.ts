/** Colors of text that people can read on another color. */

/** Least contrast of text, as accessibility guidelines have it. */
const leastContrast = 4.5;

/** How light a color is, from 0 to 1; of `#rgb` and `#rrggbb`. */
function lightness(color: string): number {
  const digits = color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [lightness(one), lightness(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The color, or black or white where it is hard to read on the background. */
export function readableOn(background: string, color: string): string {
  if (contrast(background, color) >= leastContrast) return color;
  return contrast(background, '#000000') >= contrast(background, '#ffffff') ? '#000000' : '#ffffff';
}
