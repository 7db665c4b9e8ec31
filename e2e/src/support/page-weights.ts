/** What the pages of the built web application are made of, read from its files: which scripts each needs to begin with. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './instance.ts';

const assets = join(root, 'web/dist/assets');
/** About what the headers of an answer cost. */
const headers = 300;

interface Script {
  readonly needs: readonly string[];
  readonly later: readonly string[];
}

const named = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);

function read(name: string): Script {
  const text = readFileSync(join(assets, name), 'utf8');
  return {
    needs: named(text, /(?:from|import)\s*["'`]\.\/([\w.@~-]+\.js)["'`]/g),
    later: named(text, /import\(\s*["'`]\.\/([\w.@~-]+\.js)["'`]\s*\)/g),
  };
}

/** Small files are sent as they are. */
function sent(name: string): number {
  const file = join(assets, name);
  return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size + headers;
}
const withoutHash = (name: string): string => name.replace(/-[\w-]{7,8}\.js$/, '');

export interface PageWeight {
  readonly name: string;
  readonly bytes: number;
  /** The largest first. */
  readonly files: readonly string[];
}

/** Every page by the name of its file; the parts of settings as pages of their own. */
export function pageWeights(): PageWeight[] {
  const files = readdirSync(assets);
  const scripts = new Map(files.filter((name) => name.endsWith('.js')).map((name) => [name, read(name)] as const));
  const document = readFileSync(join(root, 'web/dist/index.html'), 'utf8');
  const first = named(document, /(?:src|href)="\/assets\/([\w.-]+\.(?:js|css))"/g);
  const weigh = (name: string, begins: readonly string[]): PageWeight => {
    const all = new Set<string>();
    const add = (file: string) => {
      if (all.has(file)) return;
      all.add(file);
      for (const each of scripts.get(file)?.needs ?? []) add(each);
    };
    for (const file of [...first, ...begins]) add(file);
    const sizes = [...all].map((file) => [sent(file), file] as const).sort(([one], [other]) => other - one);
    return {
      name,
      bytes: sizes.reduce((sum, [size]) => sum + size, 0),
      files: sizes.map(([size, file]) => `${size} ${file}`),
    };
  };
  const pages = [...new Set(first.flatMap((name) => scripts.get(name)?.later ?? []))].filter((name) =>
    /(?:Page|Pages|Route|Tab|Overview)$/.test(withoutHash(name)),
  );
  return pages.flatMap((page) => {
    const name = withoutHash(page);
    const parts = /^(?:Group)?SettingsPage$/.test(name) ? (scripts.get(page)?.later ?? []) : [];
    return [weigh(name, [page]), ...parts.map((part) => weigh(`${name} with ${withoutHash(part)}`, [page, part]))];
  });
}
