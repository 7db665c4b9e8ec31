/** Every switch that an administrator can turn without a restart, and what it does. One with no effect has no row here. */

interface Definition {
  readonly description: string;
  /** The release of the ecosystem's API that has it. */
  readonly milestone: string;
  readonly defaultEnabled: boolean;
}

export const switchDefinitions = {
  api_redirect_moved_projects: {
    description:
      'A request by the former path of a project or group is sent to its numeric id with 301 instead of being answered.',
    milestone: '16.4',
    defaultEnabled: false,
  },
  git_push_create_all_pipelines: {
    description:
      'A push that makes or moves more than four branches, or more than four tags, makes a pipeline for each of them; without it for none.',
    milestone: '11.11',
    defaultEnabled: false,
  },
  two_factor_for_cli: {
    description:
      'Git over SSH asks people who have a second factor for it: `ssh git@HOST 2fa_verify` lets their key in for the time of `git_two_factor_session_expiry`.',
    milestone: '13.7',
    defaultEnabled: false,
  },
} as const satisfies Readonly<Record<string, Definition>>;

export type SwitchName = keyof typeof switchDefinitions;

export const isSwitch = (name: string): name is SwitchName => Object.hasOwn(switchDefinitions, name);
