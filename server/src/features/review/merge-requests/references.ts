/** Merge requests that texts name: `!1`, `group/project!1`. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { summariesOf } from '../../collaboration/index.ts';
import { titlesByIid } from './merge-requests.queries.ts';

export const mergeRequestReferences = (db: Db): ReferenceKind => ({
  kind: 'merge_request',
  within: 'project',
  async find(values, { caller, place: project, summarised }) {
    if (!canOnProject(caller, 'read_merge_request', project)) return new Map();
    const found = await titlesByIid(db, project.project.id, values.map(Number));
    const wanted = found.filter(({ iid }) => summarised.includes(String(iid))).map(({ id }) => id);
    const summaries = await summariesOf(db, 'merge_request', wanted);
    const path = `${project.namespace.full_path}/${project.project.path}`;
    return new Map(
      found.map(({ id, iid, title, state }) => [
        String(iid),
        {
          ...{ path: `/${path}/-/merge_requests/${iid}`, title, state: state === 'locked' ? 'opened' : state },
          summary: summaries.get(id) ?? [],
        },
      ]),
    );
  },
});
