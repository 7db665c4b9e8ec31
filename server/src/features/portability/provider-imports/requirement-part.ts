/** What the default branch of another server asks of every change, as settings of the project. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { requireResolvedDiscussions } from '../../namespaces/index.ts';
import { requireSignedCommits } from '../../repository/index.ts';
import type { Part, Requirements } from './provider.ts';

export const requirementPart = (db: Db, subject: ProjectSubject, requirements: () => Promise<Requirements>): Part => ({
  name: 'settings',
  async *take() {
    const { resolvedDiscussions, signedCommits } = await requirements();
    if (resolvedDiscussions) {
      await transaction(db, (tx) => requireResolvedDiscussions(tx, subject.project.id));
      yield null;
    }
    if (signedCommits) {
      await transaction(db, (tx) => requireSignedCommits(tx, subject));
      yield null;
    }
  },
});
