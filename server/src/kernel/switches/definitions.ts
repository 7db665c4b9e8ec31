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
} as const satisfies Readonly<Record<string, Definition>>;

export type SwitchName = keyof typeof switchDefinitions;

export const isSwitch = (name: string): name is SwitchName => Object.hasOwn(switchDefinitions, name);
