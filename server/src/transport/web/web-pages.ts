/** Serves the built web application: its files, and its document for every address that is a page's. */
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AppearanceValues, picturePath } from '../../kernel/appearance/index.ts';
import { takesCoding } from '../../kernel/http/compression.ts';
import { etagMatches, etagOf } from '../../kernel/http/conditional.ts';
import { cookie } from '../../kernel/http/credentials.ts';
import { cookieNames } from '../../kernel/names.ts';
import { firstLoadsFile, firstRequests, readFirstLoads } from './first-requests.ts';

export interface WebPagesOptions {
  /** Where the build is; without an `index.html` in it nothing is served. */
  readonly directory: string;
  /** Origin of another server that pages may load images from; null for none. */
  readonly imageOrigin?: () => string | null;
  /** The icons that administrators chose. */
  readonly appearance?: () => Icons;
}

type Icons = Pick<AppearanceValues, 'favicon' | 'pwa_icon'>;

export interface WebPages {
  /** The files of the build. */
  mount(server: FastifyInstance): void;
  /** Answers a GET of a browser that nothing else answers; false leaves the request alone. */
  fallback(request: FastifyRequest, reply: FastifyReply, status?: number): boolean;
}

/** Where a build lies, seen from the sources and from the bundle. */
export const builtPages = (): string =>
  [join(import.meta.dirname, '../../web/dist'), join(import.meta.dirname, '../../../../web/dist')].find((directory) =>
    existsSync(join(directory, 'index.html')),
  ) ?? '';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  woff2: 'font/woff2',
};

/** Scripts and styles of pages have the policy of the page; workers, and what is opened by itself, that of their own answer. */
const partsOfPages = /^\/assets\/(?!.*\.worker-).*\.(js|css)$/;

/** The worker that parses code: the only script that may compile WebAssembly. */
const compilesWasm = /^\/assets\/symbols\.worker-[^/]+\.js$/;

/** Scripts only from here; styles may be inline because components compute them. */
const contentSecurityPolicy = (imageOrigin: string | null, scripts = "'self'") =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data:${imageOrigin === null ? '' : ` ${imageOrigin}`}`,
    'media-src blob:',
    "manifest-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The API is no page, but its reference is one. */
const notPages = /^\/(api(?!\/docs\/?(\?|$))|assets)(\/|\?|$)/;

/** Browsers, and whoever takes anything: addresses of pages open in every client. Who insists on JSON gets none. */
const takesPages = /\btext\/html\b|\*\/\*/;

/** Files by their path below the build, read once: a request can only name one of these. */
function listFiles(directory: string): ReadonlyMap<string, string> {
  if (!existsSync(join(directory, 'index.html'))) return new Map();
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry: Dirent) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [`/${relative(directory, path)}`, path];
    }),
  );
}

/** What the build leaves beside a file, smallest first. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The path of what to send, and how it is coded. */
function codedFile(files: ReadonlyMap<string, string>, name: string, header: string | undefined) {
  for (const [coding, extension] of codings) {
    const path = files.get(name + extension);
    if (path !== undefined && takesCoding(header, coding)) return { path, coding };
  }
  return { path: files.get(name) ?? '', coding: null };
}

const iconLink = /<link rel="icon"[^>]*>/;
const escapedPath = (path: string) => path.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The document with the icons of the instance and what an installed web app is called, and its tag. */
function documentWith(built: string) {
  let made: { readonly icons: Icons; readonly document: Buffer; readonly tag: string } | undefined;
  return (icons: Icons) => {
    if (made && made.icons.favicon === icons.favicon && made.icons.pwa_icon === icons.pwa_icon) return made;
    const favicon = picturePath('favicon', icons.favicon);
    const touch = picturePath('pwa_icon', icons.pwa_icon);
    const document = Buffer.from(
      built.replace(iconLink, (link) =>
        [
          favicon === null ? link : `<link rel="icon" href="${escapedPath(favicon)}" />`,
          ...(touch === null ? [] : [`<link rel="apple-touch-icon" href="${escapedPath(touch)}" />`]),
          '<link rel="manifest" href="/-/manifest.json" />',
        ].join('\n    '),
      ),
    );
    made = { icons, document, tag: etagOf(document) };
    return made;
  };
}

const ownIcons: Icons = { favicon: null, pwa_icon: null };

export function webPages({
  directory,
  imageOrigin = () => null,
  appearance = () => ownIcons,
}: WebPagesOptions): WebPages {
  const files = listFiles(directory);
  const shown = files.has('/index.html') ? documentWith(readFileSync(join(directory, 'index.html'), 'utf8')) : null;
  const linksOf = firstRequests(readFirstLoads(directory));
  return {
    mount(server) {
      for (const name of files.keys()) {
        if (
          name.startsWith('/index.html') ||
          name === `/${firstLoadsFile}` ||
          codings.some(([, extension]) => name.endsWith(extension))
        )
          continue;
        // Names under assets/ carry a hash of their contents.
        const caching = name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';
        const scripts = compilesWasm.test(name) ? "'self' 'wasm-unsafe-eval'" : "'self'";
        server.get(name, async (request, reply) => {
          const { path, coding } = codedFile(files, name, request.headers['accept-encoding']);
          if (coding) reply.header('Content-Encoding', coding);
          if (!partsOfPages.test(name))
            reply.header('Content-Security-Policy', contentSecurityPolicy(imageOrigin(), scripts));
          return reply
            .header('Vary', 'Accept-Encoding')
            .header('Content-Type', types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
            .header('Cache-Control', caching)
            .send(await readFile(path));
        });
      }
    },
    fallback(request, reply, status = 200) {
      if (shown === null || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
      if (notPages.test(request.url) || !takesPages.test(request.headers.accept ?? '*/*')) return false;
      const { document, tag } = shown(appearance());
      const unchanged = status === 200 && etagMatches(request.headers['if-none-match'], tag);
      void reply
        .code(unchanged ? 304 : status)
        .header('Content-Type', 'text/html; charset=utf-8')
        .header('Cache-Control', 'no-cache')
        .header('ETag', tag)
        .header('Vary', 'Accept')
        .header('Link', linksOf(request.url, cookie(request, cookieNames) !== undefined))
        .header('Content-Security-Policy', contentSecurityPolicy(imageOrigin()))
        .header('X-Frame-Options', 'DENY')
        .send(unchanged ? undefined : document);
      return true;
    },
  };
}
