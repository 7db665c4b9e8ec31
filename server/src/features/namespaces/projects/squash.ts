/** Whether the commits of a request become one: as the project's option decides, or leaves to the request. */
export function squashes(option: string, requested: boolean | undefined): boolean {
  if (option === 'never') return false;
  if (option === 'always') return true;
  return requested ?? option === 'default_on';
}
