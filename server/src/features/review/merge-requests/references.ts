/** Merge requests that texts name: `!1`, `group/project!1`. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { titlesByIid } from './merge-requests.queries.ts';

export const mergeRequestReferences = (db: Db): ReferenceKind => ({
  kind: 'merge_request',
  within: 'project',
  async find(values, { caller, place: project }) {
    if (!canOnProject(caller, 'read_merge_request', project)) return new Map();
    const found = await titlesByIid(db, project.project.id, values.map(Number));
    const path = `${project.namespace.full_path}/${project.project.path}`;
    return new Map(
      found.map(({ iid, title }) => [String(iid), { path: `/${path}/-/merge_requests/${iid}`, title }] as const),
    );
  },
});
