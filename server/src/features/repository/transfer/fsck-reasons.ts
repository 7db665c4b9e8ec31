/** What git's check of objects said, in plain words: which object breaks which rule, without paths of the server. */

/** Rules by the names that git gives them; the user's guide lists what they are about. */
const words: Readonly<Record<string, string>> = {
  badDateOverflow: 'a date is out of range',
  badFilemode: 'a file has a mode that does not exist',
  badName: 'the name of an author or committer is not valid',
  badObjectSha1: 'a tag names no object',
  badParentSha1: 'a commit names no parent',
  badTree: 'a tree cannot be read',
  badTreeSha1: 'a commit names no tree',
  badType: 'a tag names an unknown type of object',
  duplicateEntries: 'a tree has two entries of the same name',
  emptyName: 'a tree has an entry without a name',
  fullPathname: 'an entry of a tree has a slash in its name',
  gitmodulesBlob: '.gitmodules is no file',
  gitmodulesLarge: '.gitmodules is too large',
  gitmodulesName: 'a submodule has a name that leads out of its place',
  gitmodulesPath: 'the path of a submodule looks like an option',
  gitmodulesSymlink: '.gitmodules is a symbolic link',
  gitmodulesUpdate: 'a submodule asks for a command to be run',
  gitmodulesUrl: 'the address of a submodule looks like an option, or is none',
  hasDot: "a tree has an entry named '.'",
  hasDotdot: "a tree has an entry named '..'",
  hasDotgit: "a tree has an entry that some systems read as '.git'",
  missingAuthor: 'a commit has no author',
  missingCommitter: 'a commit has no committer',
  missingEmail: 'an author or committer has no address',
  missingObject: 'a tag names nothing',
  missingSpaceBeforeEmail: 'there is no space before the address of an author or committer',
  missingTag: 'a tag has no name',
  missingTree: 'a commit has no tree',
  multipleAuthors: 'a commit has several authors',
  nulInCommit: 'a commit has a NUL byte in it',
  nulInHeader: 'the head of an object has a NUL byte in it',
  nullSha1: 'a tree has an entry that points nowhere (an id of zeros)',
  treeNotSorted: 'the entries of a tree are not in order',
  unterminatedHeader: 'the head of an object does not end',
  zeroPaddedFilemode: 'the mode of a file begins with a zero',
};

const finding = /object ([0-9a-f]{40}): (\w+): /;
const most = 5;

const linesOf = (stderr: string) => stderr.split('\n').filter((line) => /^(error|fatal):/.test(line));
const meaningOf = (rule: string) => words[rule] ?? 'git refuses it';

const findings = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [, object = '', rule = ''] = finding.exec(line) ?? [];
    return rule ? [{ object, rule }] : [];
  });

/** What is wrong, for people who have no objects to look at: `.gitmodules is a symbolic link (gitmodulesSymlink)`. */
export const fsckWords = (stderr: string): string[] => [
  ...new Set(findings(linesOf(stderr)).map(({ rule }) => `${meaningOf(rule)} (${rule})`)),
];

/** At most five lines, each once. */
export function fsckReasons(stderr: string): string[] {
  const lines = linesOf(stderr);
  const found = findings(lines).map(
    ({ object, rule }) => `object ${object} breaks the rule ${rule}: ${meaningOf(rule)}`,
  );
  // Damage that is not about a rule: what git says, unless it names a place on our disk.
  const plain = lines.filter((line) => !/(^|[\s'"])\//.test(line)).map((line) => line.replace(/^(error|fatal): /, ''));
  return [...new Set(found.length > 0 ? found : plain)].slice(0, most);
}
