/**
 * Releases without a program for them: a `release-cli` of ours, behind whatever PATH has, notes what is wanted, inside
 * the sandbox; what it noted is then asked of the server with the job's token.
 */
import { JobFailure } from './errors.ts';
import { quote } from './executors/script.ts';
import type { JobPayload } from './protocol.ts';

const MOST_BYTES = 2 * 1024 * 1024;

/** What the server is asked to make. */
export type ReleaseRequest = Readonly<Record<string, unknown>>;

const noted = (directory: string): string => `${directory}/noted`;

/** Commands that make the program in a directory. A description that names a file is the file's text. */
export function releaseTool(directory: string): string[] {
  const program = `#!/bin/sh
[ "$1" = create ] || { echo "release-cli: only 'create' is known here" >&2; exit 2; }
shift
: > ${quote(noted(directory))}
while [ $# -gt 1 ]; do
  name=$1 value=$2
  shift 2
  if [ "$name" = --description ] && [ -f "$value" ]; then value=$(cat "$value"); fi
  printf '%s\\0%s\\0' "$name" "$value" >> ${quote(noted(directory))}
done
[ $# -eq 0 ] || { echo "release-cli: $1 has no value" >&2; exit 2; }
`;
  const path = `${directory}/release-cli`;
  return [`mkdir -p ${quote(directory)}`, `printf %s ${quote(program)} > ${quote(path)}`, `chmod 700 ${quote(path)}`];
}

/** The command that prints what was noted: nothing where another program made the release. */
export function notedCommand(directory: string): string {
  return `if [ -f ${quote(noted(directory))} ]; then head -c ${MOST_BYTES + 1} ${quote(noted(directory))}; fi`;
}

const SINGLE: Readonly<Record<string, string>> = {
  '--name': 'name',
  '--description': 'description',
  '--tag-name': 'tag_name',
  '--tag-message': 'tag_message',
  '--ref': 'ref',
  '--released-at': 'released_at',
};

/** What was noted, as the server's API has it; null for nothing. */
export function releaseRequest(output: Buffer, job: Pick<JobPayload, 'git_info'>): ReleaseRequest | null {
  if (output.length === 0) return null;
  if (output.length > MOST_BYTES) throw refused('the release is too large');
  const fields = output.toString('utf8').split('\0').slice(0, -1);
  const request: Record<string, unknown> = { ref: job.git_info.sha };
  const milestones: string[] = [];
  const links: unknown[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]];
    const key = Object.hasOwn(SINGLE, name) ? SINGLE[name] : undefined;
    if (key) request[key] = value;
    else if (name === '--milestone') milestones.push(value);
    else if (name === '--assets-link') links.push(linkOf(value));
    else throw refused(`release-cli: ${name} is not known here`);
  }
  return {
    ...request,
    ...(milestones.length > 0 ? { milestones } : {}),
    ...(links.length > 0 ? { assets: { links } } : {}),
  };
}

function linkOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(`release-cli: a link is no JSON: ${text.slice(0, 100)}`);
  }
}

function refused(message: string): JobFailure {
  return new JobFailure('script_failure', message, 1);
}
