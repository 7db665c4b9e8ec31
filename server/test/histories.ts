/** Random histories from a seed, as git's own fast-import takes them: merges, renames, modes, links, modules, odd bytes. */
export type Next = (below: number) => number;

/** mulberry32: the same seed gives the same history on every machine. */
export function seeded(seed: number): Next {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export const pick = <T>(next: Next, list: readonly T[]): T => list[next(list.length)] as T;

export const branches = ['main', 'feature/one', 'two'] as const;
/** Paths that the API can be asked for. */
export const plainPaths = ['README.md', 'src/a.ts', 'src/b.ts', 'src/deep/er/c.ts', 'docs/ü nicode.md', 'z'];
/** As fast-import writes them: with quotes, a tab, a line end, a colon, and bytes that are no UTF-8. */
const oddPaths = ['"docs/\\"quoted\\"\\tname"', '"new\\nline"', '":(top)magic"', '"caf\\351.txt"', '"5\\t5\\tx"'];
const paths = [...plainPaths.map((path) => `"${path}"`), ...oddPaths];
const people = ['Ann <ann@example.org>', 'Bea Other <bea@example.org>', 'Zoë <zoe@example.org>'];

interface Tip {
  readonly mark: number;
  readonly files: Map<string, 'file' | 'other'>;
}

/** The commands that make a history of so many commits. */
export function randomHistory(seed: number, commits: number): Buffer {
  const next = seeded(seed);
  const parts: Buffer[] = [];
  const line = (text: string) => parts.push(Buffer.from(`${text}\n`));
  const data = (bytes: Buffer) => {
    line(`data ${bytes.length}`);
    parts.push(bytes, Buffer.from('\n'));
  };
  const lines = (count: number) => Array.from({ length: count }, () => `line ${next(12)}`).join('\n');

  function content(): Buffer {
    switch (next(10)) {
      case 0:
        return Buffer.from([0, 255, next(256), 10, next(256), 0]);
      case 1:
        return Buffer.from(`caf\u00e9 ${next(9)}\nna\u00efve\n`, 'latin1');
      case 2:
        return Buffer.from(lines(3 + next(9)));
      case 3:
        return Buffer.from(`${lines(4 + next(9)).replaceAll('\n', '\r\n')}\r\n`);
      case 4:
        return Buffer.alloc(0);
      default:
        return Buffer.from(`${lines(6 + next(25))}\n`);
    }
  }

  function change(files: Tip['files']): void {
    const path = pick(next, paths);
    const roll = next(14);
    if (roll === 0 && files.size > 1 && files.has(path)) {
      line(`D ${path}`);
      files.delete(path);
    } else if (roll <= 2 && files.get(path) === 'file') {
      const target = path.replace('"', '"moved/');
      line(`R ${path} ${target}`);
      files.delete(path);
      files.set(target, 'file');
    } else if (roll === 3 && path !== '"z"') {
      line(`M 120000 inline ${path}`);
      data(Buffer.from(`target-${next(3)}`));
      files.set(path, 'other');
    } else if (roll === 4 && path !== '"z"') {
      line(`M 160000 ${String(next(9)).repeat(39)}1 ${path}`);
      files.set(path, 'other');
    } else {
      line(`M ${roll === 5 ? '100755' : '100644'} inline ${path}`);
      data(content());
      files.set(path, 'file');
    }
  }

  const tips = new Map<string, Tip>();
  for (let mark = 1; mark <= commits; mark += 1) {
    const branch = mark === 1 ? 'main' : pick(next, branches);
    const other = pick(next, branches);
    const from = tips.get(branch) ?? tips.get('main');
    const merged = next(4) === 0 && other !== branch ? tips.get(other) : undefined;
    // Clocks go backwards now and then.
    const when = 1_700_000_000 + Math.floor(mark / 3) * 60 + next(90) - (next(12) === 0 ? 600 : 0);
    const latin = next(8) === 0;
    const text = latin
      ? `Stra\u00dfe ${mark}\n\nCaf\u00e9.\n`
      : pick(next, [
          `Change ${mark}\n`,
          `Change ${mark} \u2713\n\nBecause of ${next(99)}.\n\nSigned-off-by: Ann <ann@example.org>\n`,
          `Change ${mark}\nwithout a blank line\n\n\nand more\n`,
          `\n\n  Change ${mark}   \n`,
          `Change ${mark}`,
          '',
        ]);
    const who = latin ? 'J\u00fcrgen <j@example.org>' : pick(next, people);
    line(`commit refs/heads/${branch}`);
    line(`mark :${mark}`);
    parts.push(Buffer.from(`author ${who} ${when} +0${next(10)}30\n`, latin ? 'latin1' : 'utf8'));
    line(`committer ${pick(next, people.slice(0, 2))} ${when + next(50)} -0${next(10)}00`);
    if (latin) line('encoding ISO-8859-1');
    data(Buffer.from(text, latin ? 'latin1' : 'utf8'));
    if (from) line(`from :${from.mark}`);
    const joins = merged && merged !== from ? merged : undefined;
    if (joins) line(`merge :${joins.mark}`);
    const files = new Map(from?.files);
    // A merge that takes nothing, all, or a change of its own.
    for (let count = joins ? next(2) : 1 + next(3); count > 0; count -= 1) change(files);
    tips.set(branch, { mark, files });
  }
  for (const [name, mark] of [
    ['light', 1 + next(commits)],
    ['two', 1 + next(commits)],
  ]) {
    line(`reset refs/tags/${name}`);
    line(`from :${mark}`);
  }
  line('tag v1.0');
  line(`from :${1 + next(commits)}`);
  line('tagger Tim <tim@example.org> 1700000500 +0200');
  data(Buffer.from('The first release\n'));
  line('done');
  return Buffer.concat(parts);
}
