/** Addresses of artifacts by ref, whose branches clients write with their slashes as they are. */

const ofRef = /^(\/api\/v4\/projects\/[^/]+\/jobs\/artifacts\/)([^/]+\/.+?)(\/download\/?|\/raw\/.+)$/;

/** The address with the slashes of its ref encoded, so that it is one segment; other addresses as they are. */
export function rewriteArtifactUrl(url: string): string {
  if (!url.includes('/jobs/artifacts/')) return url;
  const [path = '/', ...query] = url.split('?');
  const [, before, ref, after] = ofRef.exec(path) ?? [];
  if (before === undefined || ref === undefined || after === undefined || ref.split('/')[1] === 'raw') return url;
  return [`${before}${ref.replaceAll('/', '%2F')}${after}`, ...query].join('?');
}
