/** Colours of a token as custom properties: the theme chooses between them without a new rendering. */
import type { CSSProperties } from 'react';

const known = new Map<string, CSSProperties>();

export function tokenStyle(light: string, dark: string): CSSProperties {
  const key = `${light}/${dark}`;
  const style = known.get(key) ?? ({ '--token-light': light, '--token-dark': dark } as CSSProperties);
  known.set(key, style);
  return style;
}
