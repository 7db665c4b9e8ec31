/**
 * Drawings (SVG) of a repository: its raw files are sent as text, which no browser draws. As the contents of a picture they
 * run no script and fetch nothing.
 */
const mostDrawings = 30;
const mostBytes = 500_000;

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

export function showDrawings(root: HTMLElement, signal: AbortSignal): void {
  const found = [...root.querySelectorAll<HTMLImageElement>('img[src^="/api/v4/"]')].filter((picture) =>
    /\.svg\/raw\?/i.test(picture.getAttribute('src') ?? ''),
  );
  for (const picture of found.slice(0, mostDrawings)) {
    void fetch(picture.getAttribute('src') ?? '', { signal })
      .then(async (answer) => {
        const bytes = new Uint8Array(await answer.arrayBuffer());
        if (answer.ok && bytes.length <= mostBytes) picture.src = `data:image/svg+xml;base64,${base64(bytes)}`;
      })
      .catch(() => undefined);
  }
}
