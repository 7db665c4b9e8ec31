/** The address of the mail server: `smtp://user:password@host:587?tls=required` or `smtps://...`. */

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `implicit`: encrypted from the start; `required` and `offered`: STARTTLS, and what happens without it; `off`: plain. */
  readonly tls: 'implicit' | 'required' | 'offered' | 'off';
  /** False accepts any certificate. */
  readonly verify: boolean;
  readonly user: string | null;
  readonly password: string;
}

const expected =
  'smtp://user:password@host:port or smtps://..., with ?tls=required, ?tls=off or ?verify=off where that is wanted';
const ports = { implicit: 465, required: 587, offered: 587, off: 25 } as const;
const wrong = () => new Error(expected);

/** Throws with what is accepted. */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || url.hash !== '') throw wrong();
  if (url.pathname !== '' && url.pathname !== '/') throw wrong();
  const { tls, verify, ...unknown } = Object.fromEntries(url.searchParams);
  if (Object.keys(unknown).length > 0 || (verify !== undefined && verify !== 'off')) throw wrong();
  const implicit = url.protocol === 'smtps:';
  if (tls !== undefined && (implicit || (tls !== 'required' && tls !== 'off'))) throw wrong();
  const mode = implicit ? 'implicit' : ((tls as 'required' | 'off' | undefined) ?? 'offered');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? ports[mode] : Number(url.port),
    tls: mode,
    verify: verify === undefined,
    user: url.username === '' ? null : decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

/** A mailbox as text: `Name <address>` or the address alone. Throws with what is accepted. */
export function parseMailbox(text: string): { readonly name: string; readonly address: string } {
  const named = /^\s*([^<>"\r\n]*?)\s*<([^<>\s]+)>\s*$/.exec(text);
  const name = named?.[1] ?? '';
  const address = named?.[2] ?? text.trim();
  if (!isMailAddress(address))
    throw new Error('an address like millrace@example.com or Millrace <millrace@example.com>');
  return { name, address };
}

const addressPattern = /^[^@\s<>()[\]\\,;:"\p{Cc}]+@[^@\s<>()[\]\\,;:"\p{Cc}]+$/u;

/** Whether a text is one plain address: nothing that a mail header reads as a list, a name or a comment. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && addressPattern.test(text);

/**
 * Whether an address is of the domain of the instance or of one above it: only such a one may be shown as the sender, because receivers
 * check that the server of a domain sends its mail.
 */
export function isOwnAddress(address: string, externalUrl: string): boolean {
  if (!isMailAddress(address)) return false;
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  const { hostname } = new URL(externalUrl);
  return domain === hostname || (domain.includes('.') && hostname.endsWith(`.${domain}`));
}
