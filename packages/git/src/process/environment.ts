/** The fixed environment and settings of every git process: nothing from the machine's or a user's configuration. */

import { availableParallelism } from 'node:os';

/** Threads of one process; each has a window of its own. */
const packThreads = Math.min(availableParallelism(), 8);

/** Settings for all commands; the repository's own configuration file is written by us only. */
const COMMON = [
  'core.quotePath=false',
  'core.commitGraph=true',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
  'protocol.version=2',
  // Only what the outbound client hands over; no transport is started by git itself unless a caller allows it.
  'protocol.allow=never',
  'transfer.advertiseSID=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'color.ui=false',
  // Larger files are binary in diffs, streamed, and never held in memory for a delta.
  'core.bigFileThreshold=50m',
  // Without bounds the search for deltas takes as much memory as the files in its windows have bytes.
  'pack.windowMemory=64m',
  `pack.threads=${packThreads}`,
];
/** Settings of commands that write: durable as in the trusted systems, strict about what arrives. */
const WRITERS = [
  'core.fsync=objects,derived-metadata,reference',
  'core.fsyncMethod=fsync',
  'transfer.fsckObjects=true',
];

/** `-c key=value` arguments in front of the subcommand. */
export function settings(writer: boolean, extra: readonly string[] = []): string[] {
  const all = writer ? [...COMMON, ...WRITERS, ...extra] : [...COMMON, ...extra];
  return all.flatMap((setting) => ['-c', setting]);
}

export interface EnvironmentOptions {
  /** PATH in which git and its helpers are found. */
  path: string;
}

export interface ObjectDirectories {
  /** Where new objects go (a quarantine). */
  objects: string;
  /** The repository's own object directory, read as an alternate. */
  alternate: string;
}

/** The complete environment of one git process; nothing is inherited. */
export function environment(
  options: EnvironmentOptions,
  gitDir: string | null,
  directories?: ObjectDirectories,
  extra: Record<string, string> = {},
): Record<string, string> {
  return {
    PATH: options.path,
    // Nothing is there: no user's configuration, attributes or credentials.
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_PAGER: 'cat',
    ...(gitDir === null ? {} : { GIT_DIR: gitDir }),
    ...(directories
      ? {
          GIT_OBJECT_DIRECTORY: directories.objects,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: directories.alternate,
          // git refuses to move references while this is set: a quarantined view cannot publish anything.
          GIT_QUARANTINE_PATH: directories.objects,
        }
      : {}),
    ...extra,
  };
}
