/** Whether a runner is too old for the API that we serve. Pure. */

export const updateStates = ['current', 'available', 'required', 'unknown'] as const;
export type UpdateState = (typeof updateStates)[number];

const parse = (version: string) => /^v?(\d{1,4})\.(\d{1,4})(?:\.|-|$)/.exec(version);

/** Runners have the numbers of the release of the API: an older minor works, an older major is not supported. */
export function updateState(version: string | null, release: string): UpdateState {
  const [own, served] = [parse(version ?? ''), parse(release)];
  if (!own || !served) return 'unknown';
  const [major, minor] = [Number(own[1]), Number(own[2])];
  const [wantedMajor, wantedMinor] = [Number(served[1]), Number(served[2])];
  if (major !== wantedMajor) return major < wantedMajor ? 'required' : 'current';
  return minor < wantedMinor ? 'available' : 'current';
}
