/** Addresses of images at a proxy that administrators run beside the instance, in the form that Camo and its relatives take. */
import { createHmac } from 'node:crypto';
import type { ApplicationSettings } from '../settings/index.ts';

/** `*.example.com`: a star stands for any characters. */
function matcherOf(hosts: readonly string[]): (host: string) => boolean {
  const patterns = hosts.map((host) => host.toLowerCase().split('*'));
  return (host) =>
    patterns.some((parts) => {
      const [first = '', ...others] = parts;
      if (others.length === 0) return host === first;
      const last = others.pop() ?? '';
      if (!host.startsWith(first)) return false;
      let at = first.length;
      for (const part of others) {
        const found = host.indexOf(part, at);
        if (found < 0) return false;
        at = found + part.length;
      }
      return host.length - last.length >= at && host.endsWith(last);
    });
}

/** Where pages may load images from besides the instance; null where there is no proxy. */
export function assetProxyOrigin(settings: ApplicationSettings): string | null {
  const url = settings.asset_proxy_enabled ? settings.asset_proxy_url : null;
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}

/** The address of an image at the proxy, null for hosts that are not fetched through it; null where there is no proxy. */
export function assetProxyAddresses(settings: ApplicationSettings): ((url: URL) => string | null) | null {
  const base = settings.asset_proxy_url;
  const secret = settings.asset_proxy_secret_key;
  if (assetProxyOrigin(settings) === null || base === null || secret === null) return null;
  const direct = matcherOf(settings.asset_proxy_allowlist);
  return ({ hostname, href }) => {
    if (direct(hostname)) return null;
    const signature = createHmac('sha1', secret).update(href).digest('hex');
    return `${base.replace(/\/+$/, '')}/${signature}/${Buffer.from(href).toString('hex')}`;
  };
}
