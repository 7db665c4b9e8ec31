/** How many projects, in words. */
export const countOf = (projects: number): string => (projects === 1 ? '1 project' : `${projects} projects`);
