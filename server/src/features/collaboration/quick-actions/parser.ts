/** Quick actions in texts: lines that begin with `/name`, outside of code. Pure: what they do is decided elsewhere. */

export interface WrittenCommand {
  readonly name: string;
  readonly argument: string;
}

/** Written in place of the command, after the words that follow it. */
const substitutions: Readonly<Record<string, string>> = {
  shrug: '¯\\＿(ツ)＿/¯',
  tableflip: '(╯°□°)╯︵ ┻━┻',
};

const line = /^\/([a-zA-Z_]{1,40})(?:[ \t]+(.*))?$/;
const fenceMark = /^ {0,3}(`{3,}|~{3,})/;

/** At most this many are taken from one text; further lines stay as they are. */
const most = 100;

/** The text without the lines that are commands of a known name, and these commands. */
export function commandsIn(
  text: string,
  known: ReadonlySet<string>,
): { readonly text: string; readonly commands: readonly WrittenCommand[] } {
  if (!/^\//m.test(text)) return { text, commands: [] };
  const commands: WrittenCommand[] = [];
  const kept: string[] = [];
  let fence: string | null = null;
  let quoted = false;
  let changed = false;
  for (const written of text.split('\n')) {
    const bare = written.replace(/\r$/, '');
    const mark = fenceMark.exec(bare)?.[1];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null) {
      if (mark?.startsWith(fence) && bare.trim() === mark) fence = null;
    } else if (bare.trim() === '>>>') quoted = !quoted;
    else if (!quoted && commands.length < most) {
      const [, word, rest = ''] = line.exec(bare) ?? [];
      const name = word?.toLowerCase();
      if (name !== undefined && Object.hasOwn(substitutions, name)) {
        kept.push(`${rest.trim()} ${substitutions[name]}`.trim());
        changed = true;
        continue;
      }
      if (name !== undefined && known.has(name)) {
        commands.push({ name, argument: rest.trim() });
        changed = true;
        continue;
      }
    }
    kept.push(written);
  }
  return changed ? { text: kept.join('\n').trim(), commands } : { text, commands: [] };
}
