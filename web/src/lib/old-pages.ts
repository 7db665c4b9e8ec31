/** What stood directly below a project before its pages moved below `/-/`; such links are still in messages and documents. */
export const oldPages: readonly string[] = [
  ...['activity', 'blame', 'blob', 'branches', 'builds', 'commit', 'commits', 'compare', 'edit', 'environments'],
  ...['find_file', 'issues', 'jobs', 'labels', 'merge_requests', 'milestones', 'network', 'pipelines'],
  ...['project_members', 'releases', 'settings', 'snippets', 'tags', 'tree', 'wikis'],
];

/** Where the page begins in an address without `/-/`; -1 where nothing but names is in it. */
export const oldPageIn = (segments: readonly string[]): number =>
  segments.findIndex((segment, index) => index >= 2 && oldPages.includes(segment));
