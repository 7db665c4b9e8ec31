/** Sizes as people read them. */
const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `1.5 MiB`; at most one digit after the point. */
export function readableSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const [text] = size.toFixed(1).split('.0');
  return `${text} ${units[unit]}`;
}
