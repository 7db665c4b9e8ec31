/** Where an application gets its answers: which addresses it may register, and which it may ask for later. */

/** Schemes that would run or show something in the browser instead of leaving for an application. */
const forbidden = new Set(
  'javascript data vbscript file filesystem blob about view-source ws wss ftp mailto tel sms urn chrome'.split(' '),
);
const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);
const longestUri = 2000;
const mostUris = 50;
/** Everything but what a URI consists of: a browser would repair it into something else. */
const foreign = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/;

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Percent-encoded letters that need no encoding stand as themselves, all others in upper case (RFC 3986, 6.2.2). */
const plainEncodings = (text: string): string =>
  text.replaceAll(/%[0-9a-f]{2}/gi, (code) => {
    const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(letter) ? letter : code.toUpperCase();
  });

/** One spelling of an address: browsers treat the others as the same. Steps of a path stay: they are refused. */
function normalised(uri: string): string {
  const parts = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?(.*)$/is.exec(plainEncodings(uri));
  if (!parts) return uri;
  const [, scheme = '', authority, rest = ''] = parts;
  const kind = scheme.toLowerCase();
  if (authority === undefined) return `${kind}:${rest}`;
  const port = defaultPorts[kind];
  if (port === undefined) return `${kind}://${authority}${rest}`;
  const host = authority.toLowerCase().replace(new RegExp(`:(?:${port})?$`), '');
  return `${kind}://${host}${rest}`;
}

/** Steps that browsers resolve: the address that was registered would not be the one that is called. */
const hasSteps = (uri: string): boolean => /\/\.{1,2}(?=[/?#;]|$)/.test(plainEncodings(uri).split('?', 1)[0] ?? '');

function reasonOf(uri: string, confidential: boolean, plainHttp: boolean): string | null {
  if (uri.length > longestUri) return `is too long (maximum is ${longestUri} characters)`;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'must be an absolute URI.';
  if (forbidden.has(scheme)) return 'is forbidden by the server.';
  if (foreign.test(uri) || !URL.canParse(uri)) return 'must be a valid URI.';
  if (uri.includes('#')) return 'cannot contain a fragment.';
  if (hasSteps(uri)) return "cannot contain '.' or '..' in its path.";
  const { username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return 'cannot contain a username or password.';
  if (scheme === 'https') return /^https:\/\/[^/?]/i.test(uri) ? null : 'must be an absolute URI.';
  if (scheme === 'http')
    return /^http:\/\/[^/?]/i.test(uri) && (plainHttp || localNames.has(hostname))
      ? null
      : 'must be an HTTPS/SSL URI; HTTP is for localhost, 127.0.0.1 and [::1].';
  if (!/^[^:]+:\//.test(uri)) return 'must be an absolute URI.';
  return confidential ? 'with a scheme of its own is for applications that are not confidential.' : null;
}

/** The addresses of a text with one on each line, as clients send them. */
export const redirectUrisOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/\s+/)
      .filter((uri) => uri !== '')
      .map(normalised),
  ),
];

/** Why these cannot be registered; empty when they can. `plainHttp`: HTTP also to other machines than the browser's own. */
export function redirectUriReasons(uris: readonly string[], confidential: boolean, plainHttp: boolean): string[] {
  if (uris.length === 0) return ["can't be blank"];
  if (uris.length > mostUris) return [`has more than ${mostUris} lines`];
  return [...new Set(uris.flatMap((uri) => reasonOf(uri, confidential, plainHttp) ?? []))];
}

const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?((?:[/?].*)?)$/;

/** Native applications listen on a port that they get when they start (RFC 8252, 7.3): everything else is exact. */
function sameButPort(registered: string, asked: string): boolean {
  const [known, wanted] = [loopback.exec(registered), loopback.exec(asked)];
  if (!known || !wanted) return false;
  const port = Number(wanted[2] ?? 80);
  return known[1] === wanted[1] && known[3] === wanted[3] && port > 0 && port < 65_536;
}

/** Whether an application that registered `uris` may get its answer at `asked`. */
export function acceptsRedirect(
  application: { readonly redirect_uris: readonly string[]; readonly confidential: boolean },
  asked: string,
): boolean {
  // Those that were registered before steps were refused.
  if (hasSteps(asked)) return false;
  return application.redirect_uris.some(
    (registered) => registered === asked || (!application.confidential && sameButPort(registered, asked)),
  );
}
